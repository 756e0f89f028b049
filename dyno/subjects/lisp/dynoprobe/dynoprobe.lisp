;;;; Tells dyno of SBCL's collections, where DYNO_PROBE_SOCKET names a socket. A program calls
;;;; (dynoprobe:start) once, when it runs. SBCL tells the CPU time of collections, not how
;;;; long they stopped the program. dyno/docs/add-a-language.md describes what is said.

(require :sb-bsd-sockets)
(require :sb-posix)

(defpackage :dynoprobe (:use :cl) (:export #:start))
(in-package :dynoprobe)

(declaim (type fixnum *cycles*))
(sb-ext:defglobal *cycles* 0)

(defun seconds (internal) (/ internal (float internal-time-units-per-second 1d0)))

(defun say (stream control &rest arguments)
  (apply #'format stream control arguments)
  (terpri stream)
  (finish-output stream))

(defconstant +clock-monotonic+ 1) ; on Linux

(defun now ()
  "CLOCK_MONOTONIC in nanoseconds."
  (multiple-value-bind (seconds nanoseconds) (sb-unix::clock-gettime +clock-monotonic+)
    (+ (* seconds 1000000000) nanoseconds)))

(defun answer (stream began took)
  (say stream "{\"mono\":~D,\"gc_cycles\":~D,\"gc_cpu_s\":~,6F,\"heap\":~D,\"alloc_bytes\":~D,\"self_us\":~D}"
       began *cycles* (seconds sb-ext:*gc-run-time*) (sb-kernel:dynamic-usage) (sb-ext:get-bytes-consed) took))

(defun tell (path)
  "Responds until dyno has gone, or says something else than sample."
  (let ((socket (make-instance 'sb-bsd-sockets:local-socket :type :stream)) (took 0))
    (unwind-protect
         (progn
           (sb-bsd-sockets:socket-connect socket path)
           (let ((stream (sb-bsd-sockets:socket-make-stream socket :input t :output t :external-format :latin-1)))
             (say stream "{\"dynoprobe\":1,\"pid\":~D,\"tells\":[\"gc_cycles\",\"gc_cpu\",\"heap\",\"alloc_bytes\",\"helper_us\"]}"
                  (sb-posix:getpid))
             (loop while (equal (read-line stream nil) "sample")
                   do (let ((began (now)))
                        (answer stream began took)
                        (setf took (floor (- (now) began) 1000))))))
      (sb-bsd-sockets:socket-close socket))))

(defun start ()
  (let ((path (sb-ext:posix-getenv "DYNO_PROBE_SOCKET")))
    (unless (member path '(nil "") :test #'equal)
      (push (lambda () (incf *cycles*)) sb-ext:*after-gc-hooks*)
      (sb-thread:make-thread (lambda () (ignore-errors (tell path))) :name "dynoprobe"))))
