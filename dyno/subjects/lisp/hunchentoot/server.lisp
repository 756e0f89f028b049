;;;; The subject lisp/hunchentoot: Hunchentoot's easy handlers, a thread a connection.

(require :asdf)
(let ((*standard-output* (make-broadcast-stream)))
  (asdf:load-system :hunchentoot)
  (asdf:load-system :yason)
  (asdf:load-system :cl-ppcre))
(load "../dynoprobe/dynoprobe.lisp")

(defpackage :service (:use :cl))
(in-package :service)

(defun object (&rest pairs)
  (let ((table (make-hash-table :test #'equal)))
    (loop for (key value) on pairs by #'cddr do (setf (gethash key table) value))
    table))

(defun json (status value)
  (setf (hunchentoot:return-code*) status
        (hunchentoot:content-type*) "application/json")
  (with-output-to-string (out) (yason:encode value out)))

(defun plaintext ()
  (setf (hunchentoot:content-type*) "text/plain")
  "Hello, World!")

(defun greeting () (json 200 (object "message" "Hello, World!")))

(defun profile ()
  (let ((id (cl-ppcre:register-groups-bind (id) ("^/users/([^/]+)/profile$" (hunchentoot:script-name*)) id)))
    (json 200 (object "id" id "name" (format nil "User ~A" id) "email" (format nil "user~A@example.com" id)))))

(defun broken (user)
  "The first rule that a user breaks, or NIL."
  (if (not (hash-table-p user))
      "body: must be an object"
      (flet ((field (name) (gethash name user)))
        (let ((name (field "name")) (email (field "email")) (age (field "age")) (tags (field "tags")))
          (cond ((not (and (stringp name) (<= 1 (length name) 100))) "name: must have 1 to 100 characters")
                ((not (and (stringp email) (find #\@ email))) "email: must contain an @")
                ((not (and (integerp age) (<= 0 age 150))) "age: must be from 0 to 150")
                ((not (and (listp tags) (<= (length tags) 10))) "tags: must be at most 10"))))))

(defun create-user ()
  (let* ((text (hunchentoot:raw-post-data :external-format :utf-8 :force-text t))
         (user (handler-case (yason:parse (or text ""))
                 (error (e) (return-from create-user
                              (json 400 (object "error" (format nil "body: ~A" (type-of e)))))))))
    (let ((reason (broken user)))
      (when reason (return-from create-user (json 400 (object "error" reason))))
      (setf (hunchentoot:header-out :location) "/users/1/profile")
      (json 201 (object "id" "1" "name" (gethash "name" user) "email" (gethash "email" user))))))

(defun route (method pattern handler)
  (let ((scanner (cl-ppcre:create-scanner pattern)))
    (lambda (request)
      (and (eq (hunchentoot:request-method request) method)
           (cl-ppcre:scan scanner (hunchentoot:script-name request))
           handler))))

(setf hunchentoot:*dispatch-table*
      (list (route :get "^/plaintext$" #'plaintext)
            (route :get "^/json$" #'greeting)
            (route :get "^/users/[^/]+/profile$" #'profile)
            (route :post "^/api/users$" #'create-user)))

(defun argument (flag default)
  (let ((at (position flag sb-ext:*posix-argv* :test #'string=)))
    (if at (nth (1+ at) sb-ext:*posix-argv*) default)))

(defun main ()
  (setf hunchentoot:*hunchentoot-default-external-format* (flexi-streams:make-external-format :utf-8 :eol-style :lf))
  (let ((server (make-instance 'hunchentoot:easy-acceptor
                               :address (argument "-host" "127.0.0.1")
                               :port (parse-integer (argument "-port" "8080"))
                               :taskmaster (make-instance 'hunchentoot:one-thread-per-connection-taskmaster
                                                          :max-thread-count 1024 :max-accept-count 4096)
                               :document-root nil :error-template-directory nil
                               :access-log-destination nil
                               :message-log-destination nil)))
    ;; Threads with a request are given half a second to finish.
    (flet ((end (&rest none)
             (declare (ignore none))
             (sb-thread:make-thread (lambda () (sleep 0.2) (sb-ext:exit :code 0 :abort t)))))
      (sb-sys:enable-interrupt sb-unix:sigterm #'end)
      (sb-sys:enable-interrupt sb-unix:sigint #'end))
    (dynoprobe:start)
    (hunchentoot:start server)
    (loop (sleep 3600))))

(sb-ext:save-lisp-and-die (concatenate 'string (sb-ext:posix-getenv "OUT") "/server")
                          :executable t :toplevel #'main :save-runtime-options t)
