package clients

import (
	"errors"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func anthropicClient(t *testing.T) anthropic.Client {
	g := gateway(t)
	return anthropic.NewClient(option.WithBaseURL(g.url), option.WithAPIKey(g.key), option.WithMaxRetries(0))
}

// message asks for a whole answer or a stream; each object received must be complete.
func message(t *testing.T, params anthropic.MessageNewParams, mode string) anthropic.Message {
	t.Helper()
	client := anthropicClient(t)
	if mode == "whole" {
		answer, err := client.Messages.New(background(), params)
		must(t, err)
		complete(t, *answer)
		return *answer
	}
	stream := client.Messages.NewStreaming(background(), params)
	var all anthropic.Message
	for stream.Next() {
		complete(t, stream.Current())
		must(t, all.Accumulate(stream.Current()))
	}
	must(t, stream.Err())
	return all
}

func messageParams(s subject, prompt string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model:     anthropic.Model(s.model),
		MaxTokens: 8000,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))},
	}
}

func messageTools() []anthropic.ToolUnionParam {
	var tools []anthropic.ToolUnionParam
	for _, name := range toolNames {
		tools = append(tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name:        name,
			Description: anthropic.String("Does " + name),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: cityProperties, Required: []string{"city"}},
		}})
	}
	return tools
}

func messageCalls(answer anthropic.Message) []call {
	var calls []call
	for _, block := range answer.Content {
		if use, ok := block.AsAny().(anthropic.ToolUseBlock); ok {
			calls = append(calls, call{use.ID, use.Name, string(use.Input)})
		}
	}
	return calls
}

func messageText(answer anthropic.Message) string {
	text := ""
	for _, block := range answer.Content {
		if block, ok := block.AsAny().(anthropic.TextBlock); ok {
			text += block.Text
		}
	}
	return text
}

// thinkingFor is the setting that the model takes at its vendor; models of other vendors take any.
func thinkingFor(s subject) anthropic.ThinkingConfigParamUnion {
	if s.model != neverForced {
		return anthropic.ThinkingConfigParamOfEnabled(2048)
	}
	return anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{
		Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized,
	}}
}

// neverForced always thinks, so Anthropic itself refuses to force a call, and takes no budget.
const neverForced = "anthropic/claude-sonnet-5-5"

func TestAnthropic(t *testing.T) {
	for _, mode := range []string{"whole", "stream"} {
		forEach(t, mode, func(t *testing.T, s subject) {
			answer := message(t, messageParams(s, "Hello there."), mode)
			contains(t, messageText(answer), "> Hello there.")
			if answer.StopReason != "end_turn" || answer.Usage.InputTokens == 0 || answer.Usage.OutputTokens == 0 {
				t.Fatalf("it ended with %q and %+v", answer.StopReason, answer.Usage)
			}
		})
		forEach(t, "tools/"+mode, func(t *testing.T, s subject) {
			tag := t.Name()
			params := messageParams(s, steps+" ("+tag+")")
			params.Tools = messageTools()
			if s.thinks {
				params.Thinking = thinkingFor(s)
			}
			walk(t, func(step int) ([]call, string) {
				answer := message(t, params, mode)
				calls := messageCalls(answer)
				params.Messages = append(params.Messages, answer.ToParam())
				var results []anthropic.ContentBlockParamUnion
				for _, c := range calls {
					results = append(results, anthropic.NewToolResultBlock(c.id, resultOf(step), false))
				}
				if len(results) > 0 {
					params.Messages = append(params.Messages, anthropic.NewUserMessage(results...))
				}
				return calls, messageText(answer)
			})
			signaturesReturn(t, tag, s)
		})
		forEach(t, "tools/forced/"+mode, func(t *testing.T, s subject) {
			params := messageParams(s, "Hello from Oslo!")
			params.Tools = messageTools()
			params.ToolChoice = anthropic.ToolChoiceUnionParam{OfAny: &anthropic.ToolChoiceAnyParam{}}
			if s.model == neverForced {
				client := anthropicClient(t)
				var refused *anthropic.Error
				if _, err := client.Messages.New(background(), params); !errors.As(err, &refused) || refused.StatusCode != 400 {
					t.Fatalf("it was not refused, but %v", err)
				}
				return
			}
			if calls := messageCalls(message(t, params, mode)); len(calls) == 0 {
				t.Fatal("nothing was called")
			}
			params.ToolChoice = anthropic.ToolChoiceParamOfTool("get_time")
			if calls := messageCalls(message(t, params, mode)); len(calls) != 1 || calls[0].name != "get_time" {
				t.Fatalf("called were %v", calls)
			}
		})
		forEachThinking(t, "thinking/"+mode, func(t *testing.T, s subject) {
			params := messageParams(s, "How many r are in strawberry?")
			params.Thinking = thinkingFor(s)
			answer := message(t, params, mode)
			thought := ""
			for _, block := range answer.Content {
				if block, ok := block.AsAny().(anthropic.ThinkingBlock); ok {
					thought += block.Thinking
				}
			}
			contains(t, thought, "strawberry")
			contains(t, messageText(answer), "strawberry")
		})
		forEach(t, "structured/"+mode, func(t *testing.T, s subject) {
			params := messageParams(s, personPrompt)
			params.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: personSchema}}
			isPerson(t, messageText(message(t, params, mode)))
		})
	}
}
