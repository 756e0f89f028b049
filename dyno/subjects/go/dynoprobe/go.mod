module dynoprobe

go 1.26.0
