-- | Tells dyno of GHC's collections, where DYNO_PROBE_SOCKET names a socket. The program
-- must count them (+RTS -T). dyno/docs/add-a-language.md describes what is said.
module Dynoprobe (start) where

import Control.Concurrent (forkIO)
import Control.Exception (IOException, handle)
import Control.Monad (void, when)
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Stats
import Network.Socket (Family (AF_UNIX), SockAddr (SockAddrUnix), SocketType (Stream), connect, defaultProtocol, socket, socketToHandle)
import Numeric (showFFloat)
import System.Environment (lookupEnv)
import System.IO
import System.Posix.Process (getProcessID)

start :: IO ()
start = lookupEnv "DYNO_PROBE_SOCKET" >>= maybe (pure ()) (void . forkIO . handle gone . tell)
  where
    gone :: IOException -> IO ()
    gone _ = pure ()

tell :: FilePath -> IO ()
tell path = do
  counted <- getRTSStatsEnabled
  when (counted && not (null path)) $ do
    s <- socket AF_UNIX Stream defaultProtocol
    connect s (SockAddrUnix path)
    h <- socketToHandle s ReadWriteMode
    hSetBuffering h LineBuffering
    pid <- getProcessID
    hPutStrLn h $ "{\"dynoprobe\":1,\"pid\":" ++ show pid ++ ",\"tells\":[\"gc_cycles\",\"gc_pause\",\"gc_cpu\",\"heap\",\"alloc_bytes\",\"helper_us\"]}"
    serve h 0

-- | Responds until dyno has gone, or says something else than "sample".
serve :: Handle -> Word64 -> IO ()
serve h took = do
  line <- hGetLine h
  when (line == "sample") $ do
    began <- getMonotonicTimeNSec
    stats <- getRTSStats
    hPutStrLn h (answer began took stats)
    ended <- getMonotonicTimeNSec
    serve h (ended - began)

-- | The heap is what was alive at the last collection. Collections stop all threads.
answer :: Word64 -> Word64 -> RTSStats -> String
answer now took s =
  "{\"mono\":" ++ show now
    ++ ",\"gc_cycles\":" ++ show (gcs s)
    ++ ",\"gc_pause_s\":" ++ decimal (fromIntegral (gc_elapsed_ns s) / 1e9)
    ++ ",\"gc_cpu_s\":" ++ decimal (fromIntegral (gc_cpu_ns s) / 1e9)
    ++ ",\"heap\":" ++ show (gcdetails_live_bytes (gc s))
    ++ ",\"alloc_bytes\":" ++ show (allocated_bytes s)
    ++ ",\"self_us\":" ++ decimal (fromIntegral took / 1e3)
    ++ "}"
  where
    decimal x = showFFloat (Just 9) (max 0 x :: Double) ""
