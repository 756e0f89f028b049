-- What a shop stands on. It is applied at each start, by whichever process comes first; a
-- deployment has a tool for migrations instead.
SELECT pg_advisory_lock(7352);

CREATE TABLE IF NOT EXISTS products (
	id          bigint PRIMARY KEY,
	category    int    NOT NULL,
	name        text   NOT NULL,
	description text   NOT NULL,
	cents       bigint NOT NULL CHECK (cents > 0),
	stock       bigint NOT NULL CHECK (stock >= 0),
	words       tsvector GENERATED ALWAYS AS (to_tsvector('simple', name || ' ' || description)) STORED
);
CREATE INDEX IF NOT EXISTS products_category ON products (category, id);
CREATE INDEX IF NOT EXISTS products_words ON products USING gin (words);

CREATE TABLE IF NOT EXISTS orders (
	id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	customer bigint NOT NULL,
	cents    bigint NOT NULL,
	made     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS orders_customer ON orders (customer, id);

CREATE TABLE IF NOT EXISTS order_lines (
	order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
	product  bigint NOT NULL REFERENCES products,
	quantity int    NOT NULL CHECK (quantity > 0),
	cents    bigint NOT NULL,
	PRIMARY KEY (order_id, product)
);

-- Events that are to go to Kafka: written in the transaction that they tell of.
CREATE TABLE IF NOT EXISTS outbox (
	id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	key  text  NOT NULL,
	body bytea NOT NULL
);

-- 5,000 products in 50 categories. Product 5000 is sold out.
INSERT INTO products (id, category, name, description, cents, stock)
SELECT i, i % 50,
	(ARRAY['red', 'blue', 'green', 'white', 'black', 'small', 'large', 'round', 'old', 'new'])[1 + i % 10] || ' '
	|| (ARRAY['lamp', 'chair', 'table', 'shelf', 'clock', 'bowl', 'rug', 'desk', 'mirror', 'vase', 'stool'])[1 + i % 11] || ' ' || i,
	'made of ' || (ARRAY['oak', 'beech', 'steel', 'glass', 'wool', 'linen', 'clay'])[1 + i % 7] || ', ' || repeat('as good as it looks, ', 6),
	100 + i * 37 % 20000, CASE WHEN i = 5000 THEN 0 ELSE 1000000000 END
FROM generate_series(1, 5000) i WHERE NOT EXISTS (SELECT 1 FROM products);

SELECT pg_advisory_unlock(7352);
