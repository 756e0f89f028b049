{-# LANGUAGE OverloadedStrings #-}

-- | The subject haskell/scotty: Scotty on Warp.
module Main (main) where

import qualified Data.Aeson as Json
import qualified Data.ByteString.Lazy as Bytes
import Data.String (fromString)
import qualified Data.Text as Text
import qualified Data.Text.Lazy as Lazy
import Network.HTTP.Types (Status, status200, status201, status400)
import Network.Wai.Handler.Warp
import System.Environment (getArgs)
import System.Posix.Signals (Handler (Catch), installHandler, sigINT, sigTERM)
import Web.Scotty

import qualified Dynoprobe
import Users

routes :: ScottyM ()
routes = do
  get "/plaintext" $ sized status200 "text/plain" "Hello, World!"
  get "/json" $ answer status200 (Json.object ["message" Json..= Text.pack "Hello, World!"])
  get "/users/:id/profile" $ param "id" >>= answer status200 . profile
  post "/api/users" $ do
    decoded <- Json.eitherDecode <$> body
    case checked <$> decoded of
      Left reason -> refused ("body: " <> Text.pack reason)
      Right (Left reason) -> refused reason
      Right (Right user) -> do
        setHeader "Location" "/users/1/profile"
        answer status201 user

refused :: Text.Text -> ActionM ()
refused reason = answer status400 (Json.object ["error" Json..= reason])

answer :: Json.ToJSON a => Status -> a -> ActionM ()
answer s = sized s "application/json" . Json.encode

-- | Responds with a length, for which Warp would otherwise send chunks.
sized :: Status -> Lazy.Text -> Bytes.ByteString -> ActionM ()
sized s kind content = do
  status s
  setHeader "Content-Type" kind
  setHeader "Content-Length" (fromString (show (Bytes.length content)))
  raw content

main :: IO ()
main = do
  Dynoprobe.start
  (host, port) <- address ("127.0.0.1", 8080) <$> getArgs
  app <- scottyApp routes
  let ended close = mapM_ (\s -> installHandler s (Catch close) Nothing) [sigTERM, sigINT]
      settings =
        setHost (fromString host) . setPort port . setInstallShutdownHandler ended $
          setGracefulShutdownTimeout (Just 1) defaultSettings
  runSettings settings app

address :: (String, Port) -> [String] -> (String, Port)
address (_, port) ("-host" : host : rest) = address (host, port) rest
address (host, _) ("-port" : port : rest) = address (host, read port) rest
address at _ = at
