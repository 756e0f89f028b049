{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Users and the rules for new ones.
module Users (Profile, checked, profile) where

import Data.Aeson
import Data.Aeson.Types (Parser)
import Data.Text (Text)
import qualified Data.Text as Text
import GHC.Generics (Generic)

data Profile = Profile {id :: !Text, name :: !Text, email :: !Text} deriving (Generic)

instance ToJSON Profile where
  toEncoding = genericToEncoding defaultOptions

profile :: Text -> Profile
profile i = Profile i ("User " <> i) ("user" <> i <> "@example.com")

data NewUser = NewUser !Text !Text !Int ![Text] !(Maybe Address) !Text

data Address = Address !Text !Text !Text

instance FromJSON NewUser where
  parseJSON = withObject "user" $ \o ->
    NewUser <$> o .: "name" <*> o .: "email" <*> o .: "age" <*> o .:? "tags" .!= []
      <*> (o .:? "address" >>= traverse address) <*> o .:? "bio" .!= ""
    where
      address :: Value -> Parser Address
      address = withObject "address" $ \o -> Address <$> o .: "street" <*> o .: "city" <*> o .: "zip"

-- | The profile of a new user, or the first rule that it breaks.
checked :: NewUser -> Either Text Profile
checked (NewUser n e age tags _ _)
  | Text.null n || Text.length n > 100 = Left "name: must have 1 to 100 characters"
  | not ("@" `Text.isInfixOf` e) = Left "email: must contain an @"
  | age < 0 || age > 150 = Left "age: must be from 0 to 150"
  | length tags > 10 = Left "tags: must be at most 10"
  | otherwise = Right (Profile "1" n e)
