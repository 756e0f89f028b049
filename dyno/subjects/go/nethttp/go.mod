module subject

go 1.26.0

require dynoprobe v0.0.0

replace dynoprobe => ../dynoprobe
