package clients

import (
	"context"
	"slices"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/compat_oai"
)

type genkitInput struct {
	City string `json:"city"`
}

func TestGenkit(t *testing.T) {
	g := gateway(t)
	plugin := &compat_oai.OpenAICompatible{Provider: "gateway", APIKey: g.key, BaseURL: g.url + "/v1"}
	kit := genkit.Init(background(), genkit.WithPlugins(plugin))
	models := map[string]ai.Model{}
	for _, s := range subjects {
		models[s.model] = plugin.DefineModel("gateway", s.model, ai.ModelOptions{Supports: &compat_oai.Multimodal})
	}
	var ran []string
	var tools []ai.ToolRef
	for _, name := range toolNames {
		tools = append(tools, genkit.DefineTool(kit, name, "Does "+name,
			func(_ *ai.ToolContext, input genkitInput) (string, error) {
				ran = append(ran, name+" "+input.City)
				return "Done by " + name, nil
			}))
	}
	for _, mode := range []string{"whole", "stream"} {
		ask := func(t *testing.T, s subject, options ...ai.GenerateOption) string {
			t.Helper()
			streamed := ""
			options = append(options, ai.WithModel(models[s.model]))
			if mode == "stream" {
				options = append(options, ai.WithStreaming(func(_ context.Context, chunk *ai.ModelResponseChunk) error {
					streamed += chunk.Text()
					return nil
				}))
			}
			answer, err := genkit.Generate(background(), kit, options...)
			must(t, err)
			if mode == "stream" {
				contains(t, streamed, answer.Text())
			}
			return answer.Text()
		}
		forEach(t, mode, func(t *testing.T, s subject) {
			contains(t, ask(t, s, ai.WithPrompt("Hello there.")), "> Hello there.")
		})
		forEach(t, "tools/"+mode, func(t *testing.T, s subject) {
			ran = nil
			text := ask(t, s, ai.WithPrompt(steps), ai.WithTools(tools...))
			// Calls of one answer run at the same time.
			slices.Sort(ran)
			expected := []string{"find_city Oslo", "get_time Oslo", "get_weather Oslo", "send_mail Oslo"}
			if !slices.Equal(ran, expected) {
				t.Fatalf("called were %v", ran)
			}
			contains(t, text, "Done by send_mail")
		})
	}
}
