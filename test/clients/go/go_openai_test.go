package clients

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"
)

// goCompletion asks for a whole answer or a stream, whose deltas are joined as the README of the client shows it.
func goCompletion(t *testing.T, request goopenai.ChatCompletionRequest, mode string) goopenai.ChatCompletionChoice {
	t.Helper()
	g := gateway(t)
	config := goopenai.DefaultConfig(g.key)
	config.BaseURL = g.url + "/v1"
	client := goopenai.NewClientWithConfig(config)
	if mode == "whole" {
		answer, err := client.CreateChatCompletion(background(), request)
		must(t, err)
		return answer.Choices[0]
	}
	stream, err := client.CreateChatCompletionStream(background(), request)
	must(t, err)
	defer stream.Close()
	all := goopenai.ChatCompletionChoice{Message: goopenai.ChatCompletionMessage{Role: "assistant"}}
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		for _, choice := range chunk.Choices {
			all.FinishReason = choice.FinishReason
			all.Message.Content += choice.Delta.Content
			all.Message.ReasoningContent += choice.Delta.ReasoningContent
			for _, piece := range choice.Delta.ToolCalls {
				if *piece.Index == len(all.Message.ToolCalls) {
					all.Message.ToolCalls = append(all.Message.ToolCalls, goopenai.ToolCall{ID: piece.ID, Type: piece.Type})
				}
				function := &all.Message.ToolCalls[*piece.Index].Function
				function.Name += piece.Function.Name
				function.Arguments += piece.Function.Arguments
			}
		}
	}
}

func goRequest(s subject, prompt string) goopenai.ChatCompletionRequest {
	return goopenai.ChatCompletionRequest{
		Model:    s.model,
		Messages: []goopenai.ChatCompletionMessage{{Role: goopenai.ChatMessageRoleUser, Content: prompt}},
	}
}

func TestGoOpenai(t *testing.T) {
	for _, mode := range []string{"whole", "stream"} {
		forEach(t, mode, func(t *testing.T, s subject) {
			answer := goCompletion(t, goRequest(s, "Hello there."), mode)
			contains(t, answer.Message.Content, "> Hello there.")
			if answer.FinishReason != goopenai.FinishReasonStop {
				t.Fatalf("it ended with %q", answer.FinishReason)
			}
		})
		forEach(t, "tools/"+mode, func(t *testing.T, s subject) {
			request := goRequest(s, steps)
			for _, name := range toolNames {
				request.Tools = append(request.Tools, goopenai.Tool{Type: goopenai.ToolTypeFunction, Function: &goopenai.FunctionDefinition{
					Name: name, Description: "Does " + name, Parameters: citySchema,
				}})
			}
			walk(t, func(step int) ([]call, string) {
				message := goCompletion(t, request, mode).Message
				request.Messages = append(request.Messages, message)
				var calls []call
				for _, c := range message.ToolCalls {
					calls = append(calls, call{c.ID, c.Function.Name, c.Function.Arguments})
					request.Messages = append(request.Messages, goopenai.ChatCompletionMessage{
						Role: goopenai.ChatMessageRoleTool, Content: resultOf(step), ToolCallID: c.ID,
					})
				}
				return calls, message.Content
			})
		})
		forEachThinking(t, "thinking/"+mode, func(t *testing.T, s subject) {
			request := goRequest(s, "How many r are in strawberry?")
			request.ReasoningEffort = "medium"
			message := goCompletion(t, request, mode).Message
			contains(t, message.Content, "strawberry")
			if s.shows {
				contains(t, message.ReasoningContent, "strawberry")
			}
		})
		forEach(t, "structured/"+mode, func(t *testing.T, s subject) {
			schema, err := json.Marshal(personSchema)
			must(t, err)
			request := goRequest(s, personPrompt)
			request.ResponseFormat = &goopenai.ChatCompletionResponseFormat{
				Type: goopenai.ChatCompletionResponseFormatTypeJSONSchema,
				JSONSchema: &goopenai.ChatCompletionResponseFormatJSONSchema{
					Name: "person", Schema: json.RawMessage(schema), Strict: true,
				},
			}
			isPerson(t, goCompletion(t, request, mode).Message.Content)
		})
	}
}
