package clients

import (
	"context"
	"testing"

	"github.com/tmc/langchaingo/llms"
	langanthropic "github.com/tmc/langchaingo/llms/anthropic"
	langopenai "github.com/tmc/langchaingo/llms/openai"
)

type langchain struct {
	name string
	open func(*testing.T, subject, bool) llms.Model
}

var langchains = []langchain{
	{"TestLangchaingoOpenai", func(t *testing.T, s subject, structured bool) llms.Model {
		g := gateway(t)
		options := []langopenai.Option{langopenai.WithBaseURL(g.url + "/v1"), langopenai.WithToken(g.key), langopenai.WithModel(s.model)}
		if structured {
			no := false
			options = append(options, langopenai.WithResponseFormat(&langopenai.ResponseFormat{
				Type: "json_schema",
				JSONSchema: &langopenai.ResponseFormatJSONSchema{Name: "person", Strict: true, Schema: &langopenai.ResponseFormatJSONSchemaProperty{
					Type: "object",
					Properties: map[string]*langopenai.ResponseFormatJSONSchemaProperty{
						"name": {Type: "string"}, "age": {Type: "integer"},
					},
					Required:             []string{"name", "age"},
					AdditionalProperties: no,
				}},
			}))
		}
		model, err := langopenai.New(options...)
		must(t, err)
		return model
	}},
	{"TestLangchaingoAnthropic", func(t *testing.T, s subject, _ bool) llms.Model {
		g := gateway(t)
		model, err := langanthropic.New(langanthropic.WithBaseURL(g.url+"/v1"), langanthropic.WithToken(g.key), langanthropic.WithModel(s.model))
		must(t, err)
		return model
	}},
}

func langTools() []llms.Tool {
	var tools []llms.Tool
	for _, name := range toolNames {
		tools = append(tools, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: name, Description: "Does " + name, Parameters: citySchema,
		}})
	}
	return tools
}

func (l langchain) generate(t *testing.T, s subject, history []llms.MessageContent, mode string, options ...llms.CallOption) *llms.ContentChoice {
	t.Helper()
	return l.generateWith(t, l.open(t, s, false), history, mode, options...)
}

func (l langchain) generateWith(t *testing.T, model llms.Model, history []llms.MessageContent, mode string, options ...llms.CallOption) *llms.ContentChoice {
	t.Helper()
	streamed := ""
	options = append(options, llms.WithMaxTokens(4000))
	if mode == "stream" {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			streamed += string(chunk)
			return nil
		}))
	}
	answer, err := model.GenerateContent(background(), history, options...)
	must(t, err)
	choice := &llms.ContentChoice{}
	// For Anthropic each block is a choice of its own.
	for _, one := range answer.Choices {
		choice.Content += one.Content
		choice.ToolCalls = append(choice.ToolCalls, one.ToolCalls...)
	}
	if mode == "stream" && choice.Content != "" {
		contains(t, streamed, choice.Content)
	}
	return choice
}

func (l langchain) test(t *testing.T) {
	for _, mode := range []string{"whole", "stream"} {
		forEach(t, mode, func(t *testing.T, s subject) {
			history := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hello there.")}
			contains(t, l.generate(t, s, history, mode).Content, "> Hello there.")
		})
		forEach(t, "tools/"+mode, func(t *testing.T, s subject) {
			history := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, steps)}
			walk(t, func(step int) ([]call, string) {
				choice := l.generate(t, s, history, mode, llms.WithTools(langTools()))
				turn := llms.MessageContent{Role: llms.ChatMessageTypeAI}
				if choice.Content != "" {
					turn.Parts = append(turn.Parts, llms.TextContent{Text: choice.Content})
				}
				var calls []call
				var results []llms.MessageContent
				for _, c := range choice.ToolCalls {
					turn.Parts = append(turn.Parts, c)
					calls = append(calls, call{c.ID, c.FunctionCall.Name, c.FunctionCall.Arguments})
					results = append(results, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
						llms.ToolCallResponse{ToolCallID: c.ID, Name: c.FunctionCall.Name, Content: resultOf(step)},
					}})
				}
				history = append(append(history, turn), results...)
				return calls, choice.Content
			})
		})
	}
}

func TestLangchaingoOpenai(t *testing.T) {
	langchains[0].test(t)
	for _, mode := range []string{"whole", "stream"} {
		forEach(t, "structured/"+mode, func(t *testing.T, s subject) {
			history := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, personPrompt)}
			isPerson(t, langchains[0].generateWith(t, langchains[0].open(t, s, true), history, mode).Content)
		})
	}
}

func TestLangchaingoAnthropic(t *testing.T) { langchains[1].test(t) }
