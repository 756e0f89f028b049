package secure

// NewServerAt is [NewServer] by a clock of the test's.
var NewServerAt = newServer
