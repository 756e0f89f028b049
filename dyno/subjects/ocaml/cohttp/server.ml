(* The subject ocaml/cohttp: cohttp on Lwt, one process for each CPU on one socket. *)

open Lwt.Syntax
module Server = Cohttp_lwt_unix.Server

let reply ?location status kind body =
  let headers = Cohttp.Header.of_list [ ("Content-Type", kind) ] in
  let headers = match location with None -> headers | Some l -> Cohttp.Header.add headers "Location" l in
  Server.respond_string ~headers ~status ~body ()

let json ?location status value = reply ?location status "application/json" (Yojson.Safe.to_string value)

let profile id =
  `Assoc [ ("id", `String id); ("name", `String ("User " ^ id)); ("email", `String ("user" ^ id ^ "@example.com")) ]

let refused reason = json `Bad_request (`Assoc [ ("error", `String reason) ])

(* characters counts code points in UTF-8: all bytes but continuations. *)
let characters = String.fold_left (fun n c -> if Char.code c land 0xC0 = 0x80 then n else n + 1) 0

(* checked is a user's name and email, or the first rule that it breaks. *)
let checked user =
  let field name = match user with `Assoc fields -> List.assoc_opt name fields | _ -> None in
  match (user, field "name", field "email", field "age", field "tags") with
  | (`Assoc _, Some (`String name), _, _, _) when name <> "" && characters name <= 100 -> (
      match (field "email", field "age", field "tags") with
      | Some (`String email), _, _ when not (String.contains email '@') -> Error "email: must contain an @"
      | Some (`String email), Some (`Int age), tags when age >= 0 && age <= 150 -> (
          match tags with
          | None -> Ok (name, email)
          | Some (`List tags) when List.length tags <= 10 -> Ok (name, email)
          | Some _ -> Error "tags: must be at most 10")
      | Some (`String _), _, _ -> Error "age: must be from 0 to 150"
      | _ -> Error "email: must contain an @")
  | `Assoc _, _, _, _, _ -> Error "name: must have 1 to 100 characters"
  | _ -> Error "body: must be an object"

let create_user body =
  let* text = Cohttp_lwt.Body.to_string body in
  match Yojson.Safe.from_string text with
  | exception Yojson.Json_error reason -> refused ("body: " ^ reason)
  | user -> (
      match checked user with
      | Error reason -> refused reason
      | Ok (name, email) ->
          json ~location:"/users/1/profile" `Created
            (`Assoc [ ("id", `String "1"); ("name", `String name); ("email", `String email) ]))

let handle _connection request body =
  let path = Uri.path (Cohttp.Request.uri request) in
  match (Cohttp.Request.meth request, String.split_on_char '/' path) with
  | `GET, [ ""; "plaintext" ] -> reply `OK "text/plain" "Hello, World!"
  | `GET, [ ""; "json" ] -> json `OK (`Assoc [ ("message", `String "Hello, World!") ])
  | `GET, [ ""; "users"; id; "profile" ] when id <> "" -> json `OK (profile id)
  | `POST, [ ""; "api"; "users" ] -> create_user body
  | _ -> reply `Not_found "text/plain" "not found"

let serve socket =
  Dynoprobe.start ();
  let socket = Lwt_unix.of_unix_file_descr ~blocking:false socket in
  let ended, ending = Lwt.wait () in
  let signalled _ = if Lwt.is_sleeping ended then Lwt.wakeup_later ending () in
  ignore (Lwt_unix.on_signal Sys.sigterm signalled);
  ignore (Lwt_unix.on_signal Sys.sigint signalled);
  (* Handlers don't wait, so what has come in has its response before this is seen. *)
  let server = Server.create ~stop:ended ~on_exn:ignore ~mode:(`TCP (`Socket socket)) (Server.make ~callback:handle ()) in
  Lwt_main.run (Lwt.pick [ server; ended ])

let () =
  let host = ref "127.0.0.1" and port = ref 8080 and processes = ref 1 in
  Arg.parse
    [ ("-host", Arg.Set_string host, ""); ("-port", Arg.Set_int port, ""); ("-processes", Arg.Set_int processes, "") ]
    (fun arg -> raise (Arg.Bad arg))
    "server -port N";
  let socket = Unix.socket ~cloexec:true Unix.PF_INET Unix.SOCK_STREAM 0 in
  Unix.setsockopt socket Unix.SO_REUSEADDR true;
  Unix.bind socket (Unix.ADDR_INET (Unix.inet_addr_of_string !host, !port));
  Unix.listen socket 4096;
  let children = List.init (!processes - 1) (fun _ -> match Lwt_unix.fork () with 0 -> serve socket; exit 0 | pid -> pid) in
  serve socket;
  List.iter
    (fun pid ->
      (try Unix.kill pid Sys.sigterm with Unix.Unix_error _ -> ());
      ignore (Unix.waitpid [] pid))
    children
