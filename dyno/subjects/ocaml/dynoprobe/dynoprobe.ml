(* Tells dyno of OCaml's collections, where DYNO_PROBE_SOCKET names a socket. A program on Lwt
   calls Dynoprobe.start in each of its processes, after it was forked. How long collections
   take OCaml 4 doesn't tell. dyno/docs/add-a-language.md describes what is said. *)

open Lwt.Syntax

let word = float_of_int (Sys.word_size / 8)

let answer took =
  let s = Gc.quick_stat () in
  Printf.sprintf {|{"gc_cycles":%d,"heap":%.0f,"alloc_bytes":%.0f,"self_us":%.3f}|}
    (s.minor_collections + s.major_collections)
    (float_of_int s.heap_words *. word)
    ((s.minor_words +. s.major_words -. s.promoted_words) *. word)
    (took *. 1e6)

(* serve responds until dyno has gone, or says something else than "sample". *)
let rec serve input output took =
  let* line = Lwt_io.read_line_opt input in
  if line <> Some "sample" then Lwt.return_unit
  else
    let began = Unix.gettimeofday () in
    let* () = Lwt_io.write_line output (answer took) in
    let* () = Lwt_io.flush output in
    serve input output (Float.max 0. (Unix.gettimeofday () -. began))

let tell path =
  let socket = Lwt_unix.socket ~cloexec:true Unix.PF_UNIX Unix.SOCK_STREAM 0 in
  let* () = Lwt_unix.connect socket (Unix.ADDR_UNIX path) in
  let output = Lwt_io.of_fd ~close:Lwt.return ~mode:Lwt_io.output socket in
  let* () =
    Lwt_io.write_line output
      (Printf.sprintf {|{"dynoprobe":1,"pid":%d,"tells":["gc_cycles","heap","alloc_bytes","helper_us"]}|} (Unix.getpid ()))
  in
  let* () = Lwt_io.flush output in
  serve (Lwt_io.of_fd ~mode:Lwt_io.input socket) output 0.

let start () =
  match Sys.getenv_opt "DYNO_PROBE_SOCKET" with
  | None | Some "" -> ()
  | Some path -> Lwt.async (fun () -> Lwt.catch (fun () -> tell path) (fun _ -> Lwt.return_unit))
