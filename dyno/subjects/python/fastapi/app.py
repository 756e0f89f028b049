"""The service in FastAPI, whoever serves it."""

import dynoprobe  # noqa: F401, for its effect in each worker
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field

app = FastAPI(openapi_url=None)


class Greeting(BaseModel):
    message: str


class Profile(BaseModel):
    id: str
    name: str
    email: str


class Address(BaseModel):
    street: str = ""
    city: str = ""
    zip: str = ""


class NewUser(BaseModel):
    name: str = Field(min_length=1, max_length=100)
    email: str = Field(pattern="@")
    age: int = Field(ge=0, le=150)
    tags: list[str] = Field(default=[], max_length=10)
    address: Address = Address()
    bio: str = ""


@app.get("/plaintext", response_class=PlainTextResponse)
async def plaintext() -> str:
    return "Hello, World!"


@app.get("/json")
async def greeting() -> Greeting:
    return Greeting(message="Hello, World!")


@app.get("/users/{id}/profile")
async def profile(id: str) -> Profile:
    return Profile(id=id, name=f"User {id}", email=f"user{id}@example.com")


@app.post("/api/users", status_code=201)
async def create_user(user: NewUser, response: Response) -> Profile:
    response.headers["Location"] = "/users/1/profile"
    return Profile(id="1", name=user.name, email=user.email)


@app.exception_handler(RequestValidationError)
async def refused(request: Request, error: RequestValidationError) -> JSONResponse:
    """Names the first field that broke a rule, or the body, with 400 instead of 422."""
    first = error.errors()[0]
    field = "body" if first["type"] == "json_invalid" or len(first["loc"]) < 2 else str(first["loc"][1])
    return JSONResponse({"error": f"{field}: {first['msg']}"}, status_code=400)
