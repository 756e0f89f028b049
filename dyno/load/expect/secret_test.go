package expect

import "testing"

// Names of fields and variables that services use for what nobody else may know, and
// others that are like them.
func TestIsSecret(t *testing.T) {
	for name, secret := range map[string]bool{
		"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "X-Api-Key": true, "X-Auth-Token": true, "X-CSRF-Token": true,
		"Ocp-Apim-Subscription-Key": true, "X-Goog-Iap-Jwt-Assertion": true, "X-Signature": true, "Signature": true, "X-Hub-Signature-256": true,
		"X-Functions-Key": true, "X-RapidAPI-Key": true, "X-Master-Key": true, "DD-APPLICATION-KEY": true, "X-Amzn-Oidc-Data-Jwt": true,
		"SSH_PASSPHRASE": true, "SENTRY_DSN": true, "DB_DSN": true, "AWS_ACCESS_KEY_ID": true, "AWS_SECRET_ACCESS_KEY": true, "AZURE_STORAGE_ACCOUNT_KEY": true,
		"MYSQL_PWD": true, "SMTP_PASS": true, "stripe.key": true, "ENCRYPTION_KEY": true,
		"Content-Type": false, "Accept": false, "X-Note": false, "Sec-WebSocket-Key": false, "Idempotency-Key": false, "X-Cache-Key": false, "Surrogate-Key": false,
		"key": false, "X-Monkey": false, "turkey": false, "HOCKEY": false, "Keep-Alive": false, "passing-only": false, "PWD": false, "bypass": false,
	} {
		if got := IsSecret(name); got != secret {
			t.Errorf("%s: %v", name, got)
		}
	}
}
