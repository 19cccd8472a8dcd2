// Makes tokens for Holdfast in a Go back end, with nothing but the standard library (1.19 and newer).
//
//	go run mint.go <file> <workspace> <role> <seconds>
//
// The file holds the relay's secret (RELAY_SECRET), or an Ed25519 private key in PEM (PKCS #8) whose public half the
// relay has in RELAY_PUBLIC_KEY. Call MintToken after your own login has said who somebody is and which workspace is
// theirs.
package main

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

type claims struct {
	Workspace string `json:"ws"`
	Role      string `json:"role"`
	IssuedAt  int64  `json:"iat"`
	ExpiresAt int64  `json:"exp"`
	ID        string `json:"jti"`
}

// MintToken signs with a secret, or with an Ed25519 key when that is what it is given.
func MintToken(secret, workspace, role string, lifetime time.Duration) (string, error) {
	id := make([]byte, 12)
	if _, err := rand.Read(id); err != nil {
		return "", err
	}
	now := time.Now()
	body, err := json.Marshal(claims{workspace, role, now.Unix(), now.Add(lifetime).Unix(), base64url(id)})
	if err != nil {
		return "", err
	}
	if block, _ := pem.Decode([]byte(secret)); block != nil {
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return "", err
		}
		private, ok := key.(ed25519.PrivateKey)
		if !ok {
			return "", errors.New("not an Ed25519 key")
		}
		signed := base64url([]byte(`{"alg":"EdDSA","typ":"JWT"}`)) + "." + base64url(body)
		return signed + "." + base64url(ed25519.Sign(private, []byte(signed))), nil
	}
	signed := base64url([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64url(body)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return signed + "." + base64url(mac.Sum(nil)), nil
}

func base64url(data []byte) string {
	return base64.RawURLEncoding.EncodeToString(data)
}

func main() {
	if len(os.Args) != 5 {
		fail(errors.New("usage: mint <file> <workspace> <role> <seconds>"))
	}
	secret, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	seconds, err := strconv.Atoi(os.Args[4])
	if err != nil {
		fail(err)
	}
	lifetime := time.Duration(seconds) * time.Second
	token, err := MintToken(strings.TrimSpace(string(secret)), os.Args[2], os.Args[3], lifetime)
	if err != nil {
		fail(err)
	}
	fmt.Println(token)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
