// Package clients holds the Go clients that are tested against a running gateway, which test/clients/go.test.ts starts.
package clients

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// A subject is a model to ask.
type subject struct {
	vendor, model string
	// Whether the model thinks, and whether a caller may see it.
	thinks, shows bool
}

// subjects has models of all four kinds of vendor: with reasoning by effort, by a budget, and without reasoning.
var subjects = []subject{
	{"openai", "openai/gpt-4.1", false, false},
	{"openai", "openai/gpt-5.4", true, false},
	{"anthropic", "anthropic/claude-sonnet-4-5", true, true},
	{"anthropic", "anthropic/claude-sonnet-5-5", true, true},
	{"google", "google/gemini-2.5-flash", true, true},
	{"google", "google/gemini-3.8-flash", true, true},
	{"deepseek", "deepseek/deepseek-v4-flash", true, true},
}

// settings is what the tests need to know of the gateway.
type settings struct{ url, key, recorder string }

func gateway(t *testing.T) settings {
	t.Helper()
	from := func(name string) string {
		value := os.Getenv(name)
		if value == "" {
			t.Fatalf("%s is missing: test/clients/go.test.ts sets it", name)
		}
		return value
	}
	return settings{from("GATEWAY_URL"), from("GATEWAY_KEY"), from("RECORDER_URL")}
}

// forEach runs a test for each model, under the name `vendor/model/what`.
func forEach(t *testing.T, what string, test func(*testing.T, subject)) {
	t.Helper()
	for _, s := range subjects {
		t.Run(s.model+"/"+what, func(t *testing.T) { test(t, s) })
	}
}

// forEachThinking is forEach without the models that do not think.
func forEachThinking(t *testing.T, what string, test func(*testing.T, subject)) {
	t.Helper()
	for _, s := range subjects {
		if s.thinks {
			t.Run(s.model+"/"+what, func(t *testing.T) { test(t, s) })
		}
	}
}

// The sandbox calls what a prompt names before a `then`, and what it names after it once the results are there.
const steps = "Use find_city, then get_weather and get_time, then send_mail, for the weather in Oslo."

var toolNames = []string{"find_city", "get_weather", "get_time", "send_mail"}

var called = [][]string{{"find_city"}, {"get_weather", "get_time"}, {"send_mail"}, nil}

var cityProperties = map[string]any{"city": map[string]any{"type": "string", "description": "The name of the city"}}

var citySchema = map[string]any{
	"type":                 "object",
	"properties":           cityProperties,
	"required":             []string{"city"},
	"additionalProperties": false,
}

var personSchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"name": map[string]any{"type": "string"},
		"age":  map[string]any{"type": "integer"},
	},
	"required":             []string{"name", "age"},
	"additionalProperties": false,
}

const personPrompt = "Who is 42 years old?"

// walk asks until nothing is called any more. `ask` returns the names and arguments of the calls and the text of one answer,
// and keeps the answer, with results, in its history.
func walk(t *testing.T, ask func(step int) (calls []call, text string)) {
	t.Helper()
	for step, expected := range called {
		calls, text := ask(step)
		var names []string
		for _, c := range calls {
			names = append(names, c.name)
			if c.city(t) != "Oslo" {
				t.Fatalf("step %d: %s was called with %s", step, c.name, c.arguments)
			}
		}
		if !slices.Equal(names, expected) {
			t.Fatalf("step %d: called were %v, not %v; text %q", step, names, expected, text)
		}
		if expected == nil && !strings.Contains(text, "Result of step 2") {
			t.Fatalf("the last result is not in the answer: %q", text)
		}
	}
}

type call struct{ id, name, arguments string }

func (c call) city(t *testing.T) string {
	t.Helper()
	var decoded struct{ City string }
	if err := json.Unmarshal([]byte(c.arguments), &decoded); err != nil {
		t.Fatalf("%s has no JSON as arguments: %q", c.name, c.arguments)
	}
	return decoded.City
}

func resultOf(step int) string { return "Result of step " + string(rune('0'+step)) }

// isPerson fails unless the text is what personSchema demands, and nothing else.
func isPerson(t *testing.T, text string) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var person struct {
		Name *string
		Age  *int
	}
	if err := decoder.Decode(&person); err != nil || person.Name == nil || person.Age == nil || *person.Age != 42 {
		t.Fatalf("this is not the person: %s (%v)", text, err)
	}
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Fatalf("%q is not in %q", part, text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func background() context.Context { return context.Background() }
