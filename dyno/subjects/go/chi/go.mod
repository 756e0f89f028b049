module subject

go 1.26.0

require (
	dynoprobe v0.0.0
	github.com/go-chi/chi/v5 v5.5.0
)

replace dynoprobe => ../dynoprobe
