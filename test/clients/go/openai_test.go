package clients

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

func openaiClient(t *testing.T) openai.Client {
	g := gateway(t)
	return openai.NewClient(option.WithBaseURL(g.url+"/v1/"), option.WithAPIKey(g.key), option.WithMaxRetries(0))
}

// completion asks for a whole answer or a stream; each object received must be complete.
func completion(t *testing.T, params openai.ChatCompletionNewParams, mode string) openai.ChatCompletion {
	t.Helper()
	client := openaiClient(t)
	if mode == "whole" {
		answer, err := client.Chat.Completions.New(background(), params)
		must(t, err)
		complete(t, *answer)
		return *answer
	}
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(background(), params)
	acc := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		complete(t, stream.Current())
		if !acc.AddChunk(stream.Current()) {
			t.Fatalf("the accumulator refuses %s", stream.Current().RawJSON())
		}
	}
	must(t, stream.Err())
	if len(acc.Choices) == 0 {
		t.Fatal("the stream had no choice")
	}
	return acc.ChatCompletion
}

func chatParams(s subject, prompt string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    s.model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	}
}

func chatTools() []openai.ChatCompletionToolUnionParam {
	var tools []openai.ChatCompletionToolUnionParam
	for _, name := range toolNames {
		tools = append(tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: name, Description: openai.String("Does " + name), Parameters: citySchema,
		}))
	}
	return tools
}

func chatCalls(message openai.ChatCompletionMessage) []call {
	var calls []call
	for _, c := range message.ToolCalls {
		calls = append(calls, call{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return calls
}

func TestOpenaiChat(t *testing.T) {
	for _, mode := range []string{"whole", "stream"} {
		forEach(t, mode, func(t *testing.T, s subject) {
			answer := completion(t, chatParams(s, "Hello there."), mode)
			contains(t, answer.Choices[0].Message.Content, "> Hello there.")
			if answer.Choices[0].FinishReason != "stop" || answer.Usage.PromptTokens == 0 || answer.Usage.CompletionTokens == 0 {
				t.Fatalf("it ended with %q and %+v", answer.Choices[0].FinishReason, answer.Usage)
			}
		})
		forEach(t, "tools/"+mode, func(t *testing.T, s subject) {
			params := chatParams(s, steps)
			params.Tools = chatTools()
			walk(t, func(step int) ([]call, string) {
				message := completion(t, params, mode).Choices[0].Message
				calls := chatCalls(message)
				params.Messages = append(params.Messages, message.ToParam())
				for _, c := range calls {
					params.Messages = append(params.Messages, openai.ToolMessage(resultOf(step), c.id))
				}
				return calls, message.Content
			})
		})
		forEach(t, "tools/forced/"+mode, func(t *testing.T, s subject) {
			params := chatParams(s, "Hello from Oslo!")
			params.Tools = chatTools()
			params.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("required")}
			if calls := chatCalls(completion(t, params, mode).Choices[0].Message); len(calls) == 0 {
				t.Fatal("nothing was called")
			}
			params.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(
				openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "get_time"})
			calls := chatCalls(completion(t, params, mode).Choices[0].Message)
			if len(calls) != 1 || calls[0].name != "get_time" {
				t.Fatalf("called were %v", calls)
			}
		})
		forEachThinking(t, "thinking/"+mode, func(t *testing.T, s subject) {
			params := chatParams(s, "How many r are in strawberry?")
			params.ReasoningEffort = shared.ReasoningEffortMedium
			params.MaxCompletionTokens = openai.Int(8000)
			answer := completion(t, params, mode)
			if answer.Usage.CompletionTokensDetails.ReasoningTokens == 0 {
				t.Fatalf("it did not think: %+v", answer.Usage)
			}
			contains(t, answer.Choices[0].Message.Content, "strawberry")
		})
		forEach(t, "structured/"+mode, func(t *testing.T, s subject) {
			params := chatParams(s, personPrompt)
			params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
				OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
					Name: "person", Schema: personSchema, Strict: openai.Bool(true),
				}},
			}
			isPerson(t, completion(t, params, mode).Choices[0].Message.Content)
		})
		forEach(t, "structured/json_object/"+mode, func(t *testing.T, s subject) {
			params := chatParams(s, personPrompt+" Answer as JSON.")
			params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
				OfJSONObject: &shared.ResponseFormatJSONObjectParam{},
			}
			text := completion(t, params, mode).Choices[0].Message.Content
			if !json.Valid([]byte(text)) || !strings.HasPrefix(text, "{") {
				t.Fatalf("no JSON object: %s", text)
			}
		})
	}
}
