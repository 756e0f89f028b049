module server

go 1.26

require probe v0.0.0

replace probe => ../probe
