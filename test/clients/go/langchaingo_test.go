package clients

import (
	"context"
	"testing"

	"github.com/tmc/langchaingo/llms"
	langanthropic "github.com/tmc/langchaingo/llms/anthropic"
	langopenai "github.com/tmc/langchaingo/llms/openai"
)

type langchain struct {
	open func(*testing.T, subject, bool) llms.Model
	// For Anthropic, langchaingo sends only the first part of a message (handleAIMessage).
	eachPartAlone bool
	// For Anthropic, langchaingo always sends a temperature, which Anthropic itself refuses for its newest models.
	sendsTemperature bool
}

var langchains = []langchain{
	{open: func(t *testing.T, s subject, structured bool) llms.Model {
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
	{eachPartAlone: true, sendsTemperature: true, open: func(t *testing.T, s subject, _ bool) llms.Model {
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
	each := func(t *testing.T, what string, test func(*testing.T, subject)) {
		for _, s := range subjects {
			if !l.sendsTemperature || s.model != "anthropic/claude-sonnet-5-5" {
				t.Run(s.model+"/"+what, func(t *testing.T) { test(t, s) })
			}
		}
	}
	for _, mode := range []string{"whole", "stream"} {
		each(t, mode, func(t *testing.T, s subject) {
			history := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hello there.")}
			contains(t, l.generate(t, s, history, mode).Content, "> Hello there.")
		})
		each(t, "tools/"+mode, func(t *testing.T, s subject) {
			history := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, steps)}
			walk(t, func(step int) ([]call, string) {
				choice := l.generate(t, s, history, mode, llms.WithTools(langTools()))
				var turn []llms.ContentPart
				if choice.Content != "" {
					turn = append(turn, llms.TextContent{Text: choice.Content})
				}
				var calls []call
				var results []llms.MessageContent
				for _, c := range choice.ToolCalls {
					turn = append(turn, c)
					calls = append(calls, call{c.ID, c.FunctionCall.Name, c.FunctionCall.Arguments})
					results = append(results, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
						llms.ToolCallResponse{ToolCallID: c.ID, Name: c.FunctionCall.Name, Content: resultOf(step)},
					}})
				}
				if l.eachPartAlone {
					for _, part := range turn {
						history = append(history, llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{part}})
					}
				} else {
					history = append(history, llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: turn})
				}
				history = append(history, results...)
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

func TestLangchaingoAnthropic(t *testing.T) {
	langchains[1].test(t)
}
