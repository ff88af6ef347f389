package clients

import (
	"context"
	"slices"
	"strings"
	"testing"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"
	"charm.land/fantasy/providers/openaicompat"
)

type fantasyInput struct {
	City string `json:"city" description:"The name of the city"`
}

// fantasyModels leaves out models that the provider asks elsewhere: by their names, Google's takes Claudes for those of Vertex AI.
func fantasyModels(t *testing.T) []subject {
	if t.Name() != "TestFantasyGoogle" {
		return subjects
	}
	return slices.DeleteFunc(slices.Clone(subjects), func(s subject) bool { return s.vendor == "anthropic" })
}

func TestFantasyOpenai(t *testing.T) {
	testFantasy(t, func(t *testing.T, s subject) fantasy.LanguageModel {
		g := gateway(t)
		provider, err := openaicompat.New(openaicompat.WithBaseURL(g.url+"/v1"), openaicompat.WithAPIKey(g.key))
		must(t, err)
		model, err := provider.LanguageModel(background(), s.model)
		must(t, err)
		return model
	})
}

func TestFantasyAnthropic(t *testing.T) {
	testFantasy(t, func(t *testing.T, s subject) fantasy.LanguageModel {
		g := gateway(t)
		provider, err := anthropic.New(anthropic.WithBaseURL(g.url), anthropic.WithAPIKey(g.key))
		must(t, err)
		model, err := provider.LanguageModel(background(), s.model)
		must(t, err)
		return model
	})
}

func TestFantasyGoogle(t *testing.T) {
	testFantasy(t, func(t *testing.T, s subject) fantasy.LanguageModel {
		g := gateway(t)
		provider, err := google.New(google.WithBaseURL(g.url), google.WithGeminiAPIKey(g.key))
		must(t, err)
		model, err := provider.LanguageModel(background(), strings.TrimPrefix(s.model, "google/"))
		must(t, err)
		return model
	})
}

func testFantasy(t *testing.T, open func(*testing.T, subject) fantasy.LanguageModel) {
	models := fantasyModels(t)
	each := func(t *testing.T, what string, test func(*testing.T, subject)) {
		for _, s := range models {
			t.Run(s.model+"/"+what, func(t *testing.T) { test(t, s) })
		}
	}
	for _, mode := range []string{"whole", "stream"} {
		run := func(t *testing.T, agent fantasy.Agent, prompt string) *fantasy.AgentResult {
			t.Helper()
			if mode == "whole" {
				result, err := agent.Generate(background(), fantasy.AgentCall{Prompt: prompt})
				must(t, err)
				return result
			}
			result, err := agent.Stream(background(), fantasy.AgentStreamCall{Prompt: prompt})
			must(t, err)
			return result
		}
		each(t, mode, func(t *testing.T, s subject) {
			contains(t, run(t, fantasy.NewAgent(open(t, s)), "Hello there.").Response.Content.Text(), "> Hello there.")
		})
		each(t, "tools/"+mode, func(t *testing.T, s subject) {
			var ran []string
			var tools []fantasy.AgentTool
			for _, name := range toolNames {
				tools = append(tools, fantasy.NewAgentTool(name, "Does "+name,
					func(_ context.Context, input fantasyInput, _ fantasy.ToolCall) (fantasy.ToolResponse, error) {
						ran = append(ran, name+" "+input.City)
						return fantasy.NewTextResponse("Done by " + name), nil
					}))
			}
			result := run(t, fantasy.NewAgent(open(t, s), fantasy.WithTools(tools...)), steps)
			expected := []string{"find_city Oslo", "get_weather Oslo", "get_time Oslo", "send_mail Oslo"}
			if !slices.Equal(ran, expected) {
				t.Fatalf("called were %v", ran)
			}
			contains(t, result.Response.Content.Text(), "Done by send_mail")
		})
	}
}
