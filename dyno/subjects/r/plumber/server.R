# The subject r/plumber: one process, which nginx asks through a socket in the file system.
# httpuv is the server that plumber runs on; its own run() takes a port only.
args <- commandArgs(trailingOnly = TRUE)
app <- plumber::pr(args[[1]])
app <- plumber::pr_set_docs(app, FALSE)
invisible(httpuv::startPipeServer(args[[2]], 0L, app))
repeat httpuv::service(1000)
