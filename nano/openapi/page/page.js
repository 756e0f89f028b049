// The page of an OpenAPI document. What the document and responses hold is only ever
// set as text, never as HTML.
"use strict";

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
const SHOWN = 100_000; // characters of a response
const given = {}; // what schemes of security are given, by name; kept nowhere else
let doc, base;

// el makes an element; attributes that are undefined or false are left out.
function el(name, attributes, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes ?? {})) {
		if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
		else if (value !== undefined && value !== false) e.setAttribute(key, value === true ? "" : value);
	}
	e.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== "" && c !== false));
	return e;
}

// resolve follows references within the document, but not in a circle.
function resolve(node) {
	for (let i = 0; i < 32 && node?.$ref; i++) {
		if (!node.$ref.startsWith("#/")) return {};
		node = node.$ref.slice(2).split("/").reduce((at, key) => at?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")], doc);
	}
	return node ?? {};
}

const nameOf = (schema) => schema?.$ref?.split("/").pop();

// typeOf says in a few words what a schema allows.
function typeOf(schema) {
	const name = nameOf(schema);
	if (name) return name;
	if (schema === true || !schema || !Object.keys(schema).length) return "anything";
	for (const word of ["anyOf", "oneOf", "allOf"]) {
		if (schema[word]) return schema[word].map(typeOf).join(word === "allOf" ? " & " : " | ");
	}
	const types = [schema.type ?? (schema.properties ? "object" : schema.enum ? "" : "anything")].flat();
	return types.map((t) => {
		if (t === "array") return "array of " + typeOf(schema.items);
		if (t === "object" && typeof schema.additionalProperties === "object") return "map of " + typeOf(schema.additionalProperties);
		return t;
	}).join(" | ") + (schema.format ? ` (${schema.format})` : "");
}

// rulesOf says what a value is held to.
function rulesOf(schema) {
	const signs = { minimum: "≥", maximum: "≤", exclusiveMinimum: ">", exclusiveMaximum: "<", minLength: "length ≥", maxLength: "length ≤",
		minItems: "items ≥", maxItems: "items ≤", minProperties: "properties ≥", maxProperties: "properties ≤", pattern: "matches", const: "is", default: "default", contentEncoding: "in" };
	const rules = Object.keys(signs).filter((k) => schema[k] !== undefined).map((k) => `${signs[k]} ${schema[k]}`);
	if (schema.uniqueItems) rules.push("items differ");
	if (schema.enum) rules.push("one of " + schema.enum.map((v) => JSON.stringify(v)).join(", "));
	return rules.join(", ");
}

// inner returns the object that a schema, an array of it, a map or a choice leads to.
function inner(schema) {
	const s = resolve(schema);
	if (s.properties) return [s];
	const next = [s.items, s.additionalProperties, ...(s.anyOf ?? []), ...(s.oneOf ?? []), ...(s.allOf ?? [])];
	return next.filter((n) => n && typeof n === "object").map(resolve).filter((n) => n !== s && n.properties);
}

// schemaTree shows the fields of a schema; those further in are made when they are
// opened, for a schema may hold itself.
function schemaTree(schema) {
	return el("ul", { class: "schema" }, inner(schema).flatMap((object) => Object.entries(object.properties).map(([name, field]) => {
		const s = resolve(field);
		const line = [el("code", {}, name), object.required?.includes(name) ? el("span", { class: "wrong", title: "required" }, "*") : "",
			" ", typeOf(field), el("span", { class: "faint" }, [rulesOf(s), s.description].filter(Boolean).map((t) => " — " + t))];
		if (!inner(field).length) return el("li", {}, line);
		return el("li", {}, lazy("details", {}, el("summary", {}, line), () => schemaTree(field)));
	})));
}

// lazy is a details element whose content is made when it is opened first.
function lazy(name, attributes, summary, content) {
	const e = el(name, attributes, summary);
	e.addEventListener("toggle", () => { if (e.open && e.childElementCount === 1) e.append(content()); });
	return e;
}

// example makes a value of a schema, to begin with.
function example(schema, depth = 0) {
	const s = resolve(schema);
	if (s.example !== undefined) return s.example;
	if (s.examples?.length) return s.examples[0];
	for (const known of [s.default, s.const, s.enum?.[0]]) if (known !== undefined) return known;
	const choice = s.anyOf ?? s.oneOf;
	if (choice) return example(choice[0], depth + 1);
	if (s.allOf) return Object.assign({}, ...s.allOf.map((part) => example(part, depth + 1)));
	switch ([s.type ?? (s.properties ? "object" : "")].flat()[0]) {
	case "object": return depth > 4 ? {} : Object.fromEntries(Object.entries(s.properties ?? {}).map(([k, v]) => [k, example(v, depth + 1)]));
	case "array": return depth > 4 ? [] : [example(s.items, depth + 1)];
	case "integer": case "number": return Number(s.minimum ?? (s.exclusiveMinimum !== undefined ? Number(s.exclusiveMinimum) + 1 : 0));
	case "boolean": return false;
	case "string": return s.format === "date-time" ? new Date(0).toISOString() : "x".repeat(Math.min(s.minLength ?? 0, 100));
	}
	return null;
}

const isJSON = (type) => /[/+]json\b/.test(type);

function exampleText(type, schema) {
	if (!schema) return "";
	const value = example(schema);
	if (isJSON(type)) return JSON.stringify(value, null, 2);
	if (type.startsWith("application/x-www-form-urlencoded")) return new URLSearchParams(value ?? {}).toString();
	return "";
}

// contentOf shows what a body or a response may be.
const contentOf = (content) => Object.entries(content ?? {}).map(([type, media]) =>
	[el("p", {}, el("code", {}, type), " ", typeOf(media.schema)), schemaTree(media.schema)]);

function inputOf(parameter) {
	const s = resolve(parameter.schema);
	if (parameter.in === "cookie") return el("span", { class: "faint" }, "the browser's own");
	const label = { "aria-label": parameter.name };
	if (s.enum) return el("select", label, (parameter.required ? [] : [""]).concat(s.enum).map((v) => el("option", {}, String(v))));
	return el("input", { ...label, placeholder: [s.type].flat().includes("array") ? "a,b" : undefined });
}

// operationOf shows one operation, with a form to try it.
function operationOf(path, method, item, op) {
	const parameters = new Map([...(item.parameters ?? []), ...(op.parameters ?? [])].map(resolve).map((p) => [p.in + " " + p.name, p]));
	const fields = [...parameters.values()].map((p) => ({ p, input: inputOf(p) }));
	const body = resolve(op.requestBody);
	const [type, media] = Object.entries(body.content ?? {})[0] ?? [];
	const text = type && el("textarea", { "aria-label": "body", spellcheck: "false" });
	if (text) text.value = exampleText(type, media.schema);
	const result = el("div", { "aria-live": "polite" });
	const needs = (op.security ?? doc.security ?? []).map((all) => Object.keys(all).join(" and ") || "nothing").join(", or ");
	const send = (event) => { event.preventDefault(); attempt(path, method, op, fields, type, text?.value, result); };
	return el("form", { onsubmit: send },
		el("p", { class: "text" }, op.description), needs && el("p", { class: "faint" }, "Needs ", needs, "."),
		fields.length > 0 && [el("h3", {}, "Parameters"), el("table", {}, el("tr", {}, ["name", "type", "value"].map((t) => el("th", {}, t))), fields.map(({ p, input }) =>
			el("tr", {}, el("td", {}, el("code", {}, p.name), p.required && el("span", { class: "wrong", title: "required" }, "*"), el("div", { class: "faint" }, p.in)),
				el("td", {}, typeOf(p.schema), el("div", { class: "faint text" }, [rulesOf(resolve(p.schema)), p.description].filter(Boolean).join("\n"))), el("td", {}, input))))],
		type && [el("h3", {}, "Body", body.required ? ", required" : ""), contentOf(body.content), text],
		el("h3", {}, "Responses"), el("table", {}, Object.entries(op.responses ?? {}).map(([status, r]) =>
			el("tr", {}, el("td", {}, el("code", {}, status)), el("td", {}, el("span", { class: "text" }, resolve(r).description), contentOf(resolve(r).content))))),
		method !== "trace" && el("button", {}, "Try it"), result);
}

// requestOf is what the form says, as fetch takes it.
function requestOf(path, method, op, fields, type, text) {
	const query = new URLSearchParams(), headers = new Headers();
	for (const { p, input } of fields) {
		if (input.value === undefined) continue; // a cookie
		if (p.in === "path") path = path.replaceAll(`{${p.name}}`, encodeURIComponent(input.value));
		else if (input.value === "" && !p.required) continue;
		else if (p.in === "header") headers.set(p.name, input.value);
		else for (const v of [resolve(p.schema).type].flat().includes("array") ? input.value.split(",") : [input.value]) query.append(p.name, v);
	}
	const schemes = (op.security ?? doc.security ?? []).flatMap(Object.keys);
	for (const name of new Set(schemes)) {
		const scheme = resolve(doc.components?.securitySchemes?.[name]), value = given[name];
		if (!value) continue;
		if (scheme.type === "apiKey" && scheme.in === "header") headers.set(scheme.name, value);
		else if (scheme.type === "apiKey" && scheme.in === "query") query.set(scheme.name, value);
		else if (scheme.scheme?.toLowerCase() === "basic") headers.set("Authorization", "Basic " + btoa(String.fromCharCode(...new TextEncoder().encode(value))));
		else if (scheme.type !== "apiKey") headers.set("Authorization", "Bearer " + value);
	}
	const init = { method: method.toUpperCase(), headers };
	if (text && !["get", "head"].includes(method)) {
		init.body = text;
		headers.set("Content-Type", type);
	}
	return { url: base.replace(/\/$/, "") + path + (query.size ? "?" + query : ""), init };
}

async function attempt(path, method, op, fields, type, text, to) {
	try {
		const { url, init } = requestOf(path, method, op, fields, type, text);
		to.replaceChildren(el("p", {}, "Waiting…"));
		const began = performance.now();
		const response = await fetch(url, init);
		const got = await response.text();
		let shown = got.slice(0, SHOWN);
		if (isJSON(response.headers.get("Content-Type") ?? "") && got.length <= SHOWN) {
			try { shown = JSON.stringify(JSON.parse(got), null, 2); } catch { /* as it came */ }
		}
		to.replaceChildren(el("h3", {}, "Response"),
			el("p", { class: response.ok ? "" : "wrong" }, `${response.status} ${response.statusText}, ${Math.round(performance.now() - began)} ms`),
			el("pre", {}, `${init.method} ${url}\n\n` + [...response.headers].map((h) => h.join(": ")).join("\n")),
			el("pre", {}, shown, got.length > SHOWN && `\n… ${got.length - SHOWN} more characters`));
	} catch (err) {
		to.replaceChildren(el("p", { class: "wrong" }, `The request failed: ${err.message}. For another origin it must allow this one (CORS), and this page must be allowed to ask it.`));
	}
}

// settings are the server to ask and what its schemes of security want.
function settings(servers) {
	const choose = el("select", { "aria-label": "server", onchange: () => { base = choose.value; } }, servers.map((s) => el("option", { value: s }, s || location.origin)));
	return el("form", { class: "settings", onsubmit: (e) => e.preventDefault() },
		servers.length > 1 && ["Server", choose],
		Object.entries(doc.components?.securitySchemes ?? {}).filter(([, s]) => ["http", "apiKey", "openIdConnect", "oauth2"].includes(s.type) && s.in !== "cookie").map(([name, s]) => [
			el("span", {}, name, " ", el("span", { class: "faint" }, s.scheme ?? s.type)),
			el("input", { type: "password", autocomplete: "off", "aria-label": name, placeholder: s.scheme === "basic" ? "user:password" : "token", oninput: (e) => { given[name] = e.target.value; } })]),
		"Find", el("input", { type: "search", "aria-label": "find", oninput: (e) => find(e.target.value.toLowerCase()) }));
}

// find hides the operations that don't have the words.
function find(words) {
	for (const e of document.querySelectorAll(".operation")) e.hidden = !e.firstChild.textContent.toLowerCase().includes(words);
	for (const s of document.querySelectorAll("section")) s.hidden = !s.querySelector(".operation:not([hidden])");
}

function show(main, from) {
	const servers = (doc.servers ?? []).map((s) => new URL(s.url, from).href);
	if (!servers.length) servers.push(location.origin);
	base = servers[0];
	const groups = new Map();
	for (const [path, value] of Object.entries(doc.paths ?? {})) {
		const item = resolve(value);
		for (const method of METHODS.filter((m) => item[m])) {
			const op = item[method];
			const e = lazy("details", { class: "operation" + (op.deprecated ? " deprecated" : ""), id: op.operationId },
				el("summary", {}, el("span", { class: "method " + method }, method.toUpperCase()), el("span", { class: "path" }, path),
					el("span", { class: "faint" }, op.summary, op.deprecated && " (deprecated)")),
				() => el("div", {}, operationOf(path, method, item, op)));
			const tag = op.tags?.[0] ?? "";
			groups.set(tag, [...(groups.get(tag) ?? []), e]);
		}
	}
	document.title = doc.info?.title ?? "API";
	main.replaceChildren(el("h1", {}, document.title, " ", el("small", {}, doc.info?.version)), el("p", { class: "text" }, doc.info?.description), settings(servers),
		...[...groups].map(([tag, operations]) => el("section", {}, tag && el("h2", {}, tag), operations)),
		el("p", { class: "faint" }, `OpenAPI ${doc.openapi}, `, el("a", { href: from }, "the document")));
	const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
	if (named) named.open = true;
}

async function load() {
	const main = document.querySelector("main");
	try {
		const from = new URL(main.dataset.document, location.href).href;
		const response = await fetch(from);
		if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
		doc = await response.json();
		show(main, from);
	} catch (err) {
		main.replaceChildren(el("p", { class: "wrong" }, `The document ${main.dataset.document} can't be shown: ${err.message}`));
	}
}

load();
