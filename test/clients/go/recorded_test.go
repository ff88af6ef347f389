package clients

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// An exchange of the gateway with a vendor, as the recorder in front of the simulated vendors saw it.
type exchange struct{ Path, Request, Answer string }

// recorded returns the exchanges in whose requests `tag` stands, in their order.
func recorded(t *testing.T, tag string) []exchange {
	t.Helper()
	answer, err := http.Get(gateway(t).recorder + "/recorded?tag=" + url.QueryEscape(tag))
	must(t, err)
	defer answer.Body.Close()
	var exchanges []exchange
	must(t, json.NewDecoder(answer.Body).Decode(&exchanges))
	return exchanges
}

var (
	signatureField = regexp.MustCompile(`"(?:signature|thoughtSignature|thought_signature)":\s*"([^"]+)"`)
	reasoningItem  = regexp.MustCompile(`"encrypted_content":\s*"([^"]+)"`)
)

// signaturesReturn fails unless what the vendor signed in each answer is in every later request of the same conversation, and
// at least one answer was signed.
func signaturesReturn(t *testing.T, tag string, s subject) {
	t.Helper()
	exchanges := recorded(t, tag)
	if len(exchanges) < 2 {
		t.Fatalf("%d exchanges were recorded for %s", len(exchanges), tag)
	}
	seen := 0
	for i, made := range exchanges[:len(exchanges)-1] {
		// Google signs a streamed text in a last chunk without text, which its SDK for Go leaves out of a chat.
		if strings.Contains(made.Path, ":streamGenerateContent") && !strings.Contains(made.Answer, `"functionCall"`) {
			continue
		}
		for _, pattern := range []*regexp.Regexp{signatureField, reasoningItem} {
			for _, found := range pattern.FindAllStringSubmatch(made.Answer, -1) {
				seen++
				for _, later := range exchanges[i+1:] {
					if !strings.Contains(later.Request, found[1]) {
						t.Fatalf("a signature of answer %d is not in a later request to %s: %s", i, later.Path, found[1])
					}
				}
			}
		}
	}
	if seen == 0 && s.signs() {
		t.Fatalf("nothing was signed in %d exchanges", len(exchanges))
	}
}

// signs says whether the vendor signs what the model thinks. Gemini 2.5 and DeepSeek do not in the simulation.
func (s subject) signs() bool {
	return s.thinks && s.vendor != "deepseek" && s.model != "google/gemini-2.5-flash"
}
