#lang racket/base
;; Tells dyno of Racket's collections, where DYNO_PROBE_SOCKET names a socket. A program calls
;; (start-dynoprobe) once. dyno/docs/add-a-language.md describes what is said.

(require json
         (only-in racket/port read-bytes-line-evt)
         racket/unix-socket)

(provide start-dynoprobe)

(define tells '("gc_cycles" "gc_pause" "gc_pause_max" "heap" "alloc_bytes" "helper_us"))

;; What the runtime logs of each collection; times are in milliseconds.
(struct gc-info
  (mode pre-amount pre-admin-amount code-amount post-amount post-admin-amount
        start-process-time end-process-time start-time end-time)
  #:prefab)

(define (start-dynoprobe)
  (define path (or (getenv "DYNO_PROBE_SOCKET") ""))
  (unless (string=? path "")
    (void (thread (lambda () (with-handlers ([exn:fail? void]) (tell path))))))) ; dyno has gone

;; Notes collections, and responds until something else than "sample" comes, such as the end.
(define (tell path)
  (define collections (make-log-receiver (current-logger) 'debug 'GC))
  (define-values (in out) (unix-socket-connect path))
  (define (say value)
    (write-json value out)
    (newline out)
    (flush-output out))
  (say (hasheq 'dynoprobe 1 'pid (own-pid) 'tells tells))
  (let loop ([cycles 0] [pause 0.0] [longest 0.0] [took 0.0])
    ;; A collection before the question, so that all are noted before the response.
    (define event (or (sync/timeout 0 collections) (sync collections (read-bytes-line-evt in))))
    (cond
      [(vector? event)
       (define info (vector-ref event 2))
       (define ms (if (gc-info? info) (exact->inexact (max 0 (- (gc-info-end-time info) (gc-info-start-time info)))) 0.0))
       (loop (add1 cycles) (+ pause ms) (max longest ms) took)]
      [(equal? event #"sample")
       (define began (current-inexact-milliseconds))
       (say (hasheq 'gc_cycles cycles
                    'gc_pause_s (/ pause 1000.0)
                    'gc_pause_max_s (/ longest 1000.0)
                    'heap (current-memory-use)
                    'alloc_bytes (current-memory-use 'cumulative)
                    'self_us took))
       (loop cycles pause 0.0 (max 0.0 (* 1000.0 (- (current-inexact-milliseconds) began))))])))

(define (own-pid)
  (define link (resolve-path "/proc/self")) ; Racket has no call for it
  (or (string->number (path->string link)) 0))
