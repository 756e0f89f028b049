;; The subject clojure/ring: Compojure's routes on Ring's adapter for Jetty.
(ns server
  (:require [cheshire.core :as json]
            [clojure.string :as string]
            [compojure.core :refer [ANY GET POST routes]]
            [ring.adapter.jetty :refer [run-jetty]])
  (:import (com.fasterxml.jackson.core JsonProcessingException))
  (:gen-class))

(defn sized
  "A response with its length, for which Jetty would otherwise send chunks."
  [status content-type ^String text]
  (let [body (.getBytes text "UTF-8")]
    {:status status
     :headers {"Content-Type" content-type "Content-Length" (str (alength body))}
     :body (java.io.ByteArrayInputStream. body)}))

(defn answer [status value]
  (sized status "application/json" (json/generate-string value)))

(defn profile [id]
  {:id id :name (str "User " id) :email (str "user" id "@example.com")})

(defn broken
  "The first rule that a user breaks, or nil."
  [{:keys [name email age tags] :as user}]
  (cond
    (not (map? user)) "body: must be an object"
    (not (and (string? name) (<= 1 (.codePointCount ^String name 0 (count name)) 100))) "name: must have 1 to 100 characters"
    (not (and (string? email) (string/includes? email "@"))) "email: must contain an @"
    (not (and (integer? age) (<= 0 age 150))) "age: must be from 0 to 150"
    (not (or (nil? tags) (and (sequential? tags) (<= (count tags) 10)))) "tags: must be at most 10"))

(defn create-user [request]
  (try
    (let [user (json/parse-string-strict (slurp (:body request) :encoding "UTF-8") true)]
      (if-let [reason (broken user)]
        (answer 400 {:error reason})
        (assoc-in (answer 201 {:id "1" :name (:name user) :email (:email user)})
                  [:headers "Location"] "/users/1/profile")))
    (catch JsonProcessingException e
      (answer 400 {:error (str "body: " (.getOriginalMessage e))}))))

(def app
  (routes
   (GET "/plaintext" [] (sized 200 "text/plain" "Hello, World!"))
   (GET "/json" [] (answer 200 {:message "Hello, World!"}))
   (GET "/users/:id/profile" [id] (answer 200 (profile id)))
   (POST "/api/users" request (create-user request))
   (ANY "*" [] (sized 404 "text/plain" "not found"))))

(defn -main [& args]
  (let [{host "-host" port "-port"} (merge {"-host" "127.0.0.1" "-port" "8080"} (apply hash-map args))
        server (run-jetty app {:host host :port (Integer/parseInt port) :join? false :send-server-version? false})]
    (.setStopTimeout server 1000)
    (.addShutdownHook (Runtime/getRuntime) (Thread. #(.stop server)))))
