package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"shopkit"
)

func routes(v *version) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ready")) })
	mux.HandleFunc("GET /products", v.list)
	mux.HandleFunc("GET /products/{id}", v.product)
	mux.HandleFunc("GET /search", v.search)
	mux.HandleFunc("POST /baskets/{customer}/lines", v.add)
	mux.HandleFunc("POST /baskets/{customer}/checkout", v.check)
	mux.HandleFunc("GET /orders/{id}", v.order)
	return mux
}

// refusal is a status that a client gets, with the reason.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

// send sends a value, or an error as what it means.
func send(w http.ResponseWriter, status int, value any, err error) {
	var known refusal
	switch {
	case err == nil:
	case errors.As(err, &known):
		status, value = known.status, map[string]string{"detail": known.text}
	case errors.Is(err, shopkit.ErrNotFound):
		status, value = http.StatusNotFound, map[string]string{"detail": err.Error()}
	case errors.Is(err, shopkit.ErrEmptyBasket), errors.Is(err, shopkit.ErrSoldOut):
		status, value = http.StatusConflict, map[string]string{"detail": err.Error()}
	default:
		status, value = http.StatusInternalServerError, map[string]string{"detail": "something failed"}
	}
	body, ready := value.([]byte)
	if !ready {
		if body, err = json.Marshal(value); err != nil {
			http.Error(w, "something failed", http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

func (v *version) find(w http.ResponseWriter, r *http.Request, q shopkit.Query) {
	found, err := v.catalogue.Find(r.Context(), q)
	send(w, http.StatusOK, found, err)
}

func (v *version) list(w http.ResponseWriter, r *http.Request) {
	q := shopkit.Query{InCategory: true}
	var err error
	if text := r.FormValue("category"); text != "" {
		if q.Category, err = strconv.Atoi(text); err != nil {
			send(w, 0, nil, refusal{http.StatusBadRequest, "category: must be a number"})
			return
		}
	}
	if text := r.FormValue("after"); text != "" {
		if q.After, err = strconv.ParseInt(text, 10, 64); err != nil {
			send(w, 0, nil, refusal{http.StatusBadRequest, "after: must be a number"})
			return
		}
	}
	v.find(w, r, q)
}

func (v *version) product(w http.ResponseWriter, r *http.Request) {
	if id, ok := number(w, r, "id"); ok {
		v.find(w, r, shopkit.Query{Product: id})
	}
}

func (v *version) search(w http.ResponseWriter, r *http.Request) {
	words := r.FormValue("q")
	if words == "" || len(words) > 100 {
		send(w, 0, nil, refusal{http.StatusUnprocessableEntity, "q: must have 1 to 100 bytes"})
		return
	}
	v.find(w, r, shopkit.Query{Words: words})
}

func (v *version) add(w http.ResponseWriter, r *http.Request) {
	customer, ok := number(w, r, "customer")
	if !ok {
		return
	}
	var line shopkit.Line
	if !bind(w, r, &line) {
		return
	}
	_, err := v.catalogue.Find(r.Context(), shopkit.Query{Product: line.Product})
	if err == nil {
		err = v.baskets.Add(r.Context(), customer, line)
	}
	if err != nil {
		send(w, 0, nil, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (v *version) check(w http.ResponseWriter, r *http.Request) {
	customer, ok := number(w, r, "customer")
	if !ok {
		return
	}
	var bought shopkit.Purchase
	if !bind(w, r, &bought) {
		return
	}
	order, err := v.checkout(r.Context(), customer, bought)
	if err == nil {
		w.Header().Set("Location", "/orders/"+strconv.FormatInt(order.ID, 10))
	}
	send(w, http.StatusCreated, order, err)
}

func (v *version) order(w http.ResponseWriter, r *http.Request) {
	id, ok := number(w, r, "id")
	if !ok {
		return
	}
	order, err := v.orders.Order(r.Context(), id)
	send(w, http.StatusOK, order, err)
}

// bind reads and checks a body, or sends what is wrong with it.
func bind(w http.ResponseWriter, r *http.Request, into interface{ Check() error }) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<10)).Decode(into); err != nil {
		send(w, 0, nil, refusal{http.StatusBadRequest, "body: " + err.Error()})
		return false
	}
	if err := into.Check(); err != nil {
		send(w, 0, nil, refusal{http.StatusUnprocessableEntity, err.Error()})
		return false
	}
	return true
}

// number reads a parameter, or sends 404.
func number(w http.ResponseWriter, r *http.Request, name string) (int64, bool) {
	n, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil {
		send(w, 0, nil, refusal{http.StatusNotFound, "there is no such page"})
	}
	return n, err == nil
}
