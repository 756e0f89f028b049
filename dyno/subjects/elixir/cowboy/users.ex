# Rules for new users.
defmodule Users do
  # :ok, or the first rule that a user breaks.
  def check(%{} = user) do
    tags = Map.get(user, "tags", [])

    cond do
      not name?(user["name"]) -> {:error, "name: must have 1 to 100 characters"}
      not email?(user["email"]) -> {:error, "email: must contain an @"}
      user["age"] not in 0..150 -> {:error, "age: must be from 0 to 150"}
      not (is_list(tags) and length(tags) <= 10) -> {:error, "tags: must be at most 10"}
      true -> :ok
    end
  end

  def check(_), do: {:error, "body: must be an object"}

  defp name?(name), do: is_binary(name) and String.length(name) in 1..100
  defp email?(email), do: is_binary(email) and String.contains?(email, "@")
end
