package clients

import (
	"errors"
	"io"
	"testing"

	einoopenai "github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// einoMessage asks for a whole answer or a stream, whose messages eino joins.
func einoMessage(t *testing.T, chat model.ToolCallingChatModel, history []*schema.Message, mode string) *schema.Message {
	t.Helper()
	if mode == "whole" {
		answer, err := chat.Generate(background(), history)
		must(t, err)
		return answer
	}
	stream, err := chat.Stream(background(), history)
	must(t, err)
	defer stream.Close()
	var pieces []*schema.Message
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		pieces = append(pieces, piece)
	}
	answer, err := schema.ConcatMessages(pieces)
	must(t, err)
	return answer
}

func TestEino(t *testing.T) {
	open := func(t *testing.T, s subject) model.ToolCallingChatModel {
		g := gateway(t)
		chat, err := einoopenai.NewChatModel(background(), &einoopenai.ChatModelConfig{
			APIKey: g.key, BaseURL: g.url + "/v1", Model: s.model,
		})
		must(t, err)
		return chat
	}
	for _, mode := range []string{"whole", "stream"} {
		forEach(t, mode, func(t *testing.T, s subject) {
			answer := einoMessage(t, open(t, s), []*schema.Message{schema.UserMessage("Hello there.")}, mode)
			contains(t, answer.Content, "> Hello there.")
		})
		forEach(t, "tools/"+mode, func(t *testing.T, s subject) {
			var tools []*schema.ToolInfo
			for _, name := range toolNames {
				tools = append(tools, &schema.ToolInfo{Name: name, Desc: "Does " + name, ParamsOneOf: schema.NewParamsOneOfByParams(
					map[string]*schema.ParameterInfo{"city": {Type: schema.String, Required: true}})})
			}
			chat, err := open(t, s).WithTools(tools)
			must(t, err)
			history := []*schema.Message{schema.UserMessage(steps)}
			walk(t, func(step int) ([]call, string) {
				answer := einoMessage(t, chat, history, mode)
				history = append(history, answer)
				var calls []call
				for _, c := range answer.ToolCalls {
					calls = append(calls, call{c.ID, c.Function.Name, c.Function.Arguments})
					history = append(history, schema.ToolMessage(resultOf(step), c.ID))
				}
				return calls, answer.Content
			})
		})
	}
}
