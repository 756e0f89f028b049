#lang racket/base
;; The subject racket/web-server: the web server's own dispatch, in one process.

(require json
         racket/string
         web-server/dispatch
         web-server/http
         web-server/servlet-dispatch
         web-server/web-server
         "dynoprobe.rkt") ; the build puts it beside this

(define (reply status type body [headers '()])
  (response/full status #f (current-seconds) type headers (list body)))

(define (json-reply status value [headers '()])
  (reply status #"application/json" (jsexpr->bytes value) headers))

(define (plaintext request) (reply 200 #"text/plain" #"Hello, World!"))

(define (greeting request) (json-reply 200 (hasheq 'message "Hello, World!")))

(define (profile request id)
  (json-reply 200 (hasheq 'id id 'name (string-append "User " id) 'email (format "user~a@example.com" id))))

;; The first rule that a user breaks, or #f.
(define (broken user)
  (define (field name) (hash-ref user name #f))
  (cond
    [(not (hash? user)) "body: must be an object"]
    [(not (and (string? (field 'name)) (<= 1 (string-length (field 'name)) 100))) "name: must have 1 to 100 characters"]
    [(not (and (string? (field 'email)) (string-contains? (field 'email) "@"))) "email: must contain an @"]
    [(not (and (exact-integer? (field 'age)) (<= 0 (field 'age) 150))) "age: must be from 0 to 150"]
    [(not (or (not (field 'tags)) (and (list? (field 'tags)) (<= (length (field 'tags)) 10)))) "tags: must be at most 10"]
    [else #f]))

(define (refused reason) (json-reply 400 (hasheq 'error reason)))

(define (create-user request)
  (with-handlers ([exn:fail:read? (lambda (e) (refused (string-append "body: " (exn-message e))))])
    (define user (bytes->jsexpr (or (request-post-data/raw request) #"")))
    (define reason (broken user))
    (if reason
        (refused reason)
        (json-reply 201
                    (hasheq 'id "1" 'name (hash-ref user 'name) 'email (hash-ref user 'email))
                    (list (header #"Location" #"/users/1/profile"))))))

(define-values (answer url)
  (dispatch-rules
   [("plaintext") plaintext]
   [("json") greeting]
   [("users" (string-arg) "profile") profile]
   [("api" "users") #:method "post" create-user]
   [else (lambda (request) (reply 404 #"text/plain" #"not found"))]))

(module+ main
  (define host "127.0.0.1")
  (define port 8080)
  (for ([flag (current-command-line-arguments)]
        [value (let ([args (vector->list (current-command-line-arguments))]) (if (null? args) '() (cdr args)))])
    (case flag
      [("-host") (set! host value)]
      [("-port") (set! port (string->number value))]))
  (start-dynoprobe)
  (define stop (serve #:dispatch (dispatch/servlet answer) #:listen-ip host #:port port))
  (with-handlers ([exn:break? (lambda (e) (stop))])
    (sync/enable-break never-evt)))
