package clients

import (
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// response asks for a whole answer or a stream; each object received must be complete.
func response(t *testing.T, params responses.ResponseNewParams, mode string) responses.Response {
	t.Helper()
	client := openaiClient(t)
	if mode == "whole" {
		answer, err := client.Responses.New(background(), params)
		must(t, err)
		complete(t, *answer)
		return *answer
	}
	stream := client.Responses.NewStreaming(background(), params)
	var last responses.Response
	text := ""
	for stream.Next() {
		event := stream.Current()
		complete(t, event)
		switch event := event.AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text += event.Delta
		case responses.ResponseCompletedEvent:
			last = event.Response
		}
	}
	must(t, stream.Err())
	if last.ID == "" {
		t.Fatal("the stream was not completed")
	}
	if last.OutputText() != text {
		t.Fatalf("the deltas are %q, and the answer %q", text, last.OutputText())
	}
	return last
}

func responseParams(s subject, prompt string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: s.model,
		Store: openai.Bool(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage(prompt, responses.EasyInputMessageRoleUser),
		}},
	}
}

func responseTools() []responses.ToolUnionParam {
	var tools []responses.ToolUnionParam
	for _, name := range toolNames {
		tools = append(tools, responses.ToolParamOfFunction(name, citySchema, true))
	}
	return tools
}

func responseCalls(answer responses.Response) []call {
	var calls []call
	for _, item := range answer.Output {
		if item, ok := item.AsAny().(responses.ResponseFunctionToolCall); ok {
			calls = append(calls, call{item.CallID, item.Name, item.Arguments})
		}
	}
	return calls
}

// asInput returns an item of an answer as it goes back.
func asInput(t *testing.T, item responses.ResponseOutputItemUnion) responses.ResponseInputItemUnionParam {
	t.Helper()
	switch item := item.AsAny().(type) {
	case responses.ResponseOutputMessage:
		message := item.ToParam()
		return responses.ResponseInputItemUnionParam{OfOutputMessage: &message}
	case responses.ResponseFunctionToolCall:
		made := item.ToParam()
		return responses.ResponseInputItemUnionParam{OfFunctionCall: &made}
	case responses.ResponseReasoningItem:
		thought := item.ToParam()
		return responses.ResponseInputItemUnionParam{OfReasoning: &thought}
	}
	t.Fatalf("an item that was not expected: %s", item.RawJSON())
	return responses.ResponseInputItemUnionParam{}
}

func thinkingResponse(params *responses.ResponseNewParams) {
	params.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffortMedium, Summary: shared.ReasoningSummaryAuto}
	params.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
}

func TestOpenaiResponses(t *testing.T) {
	for _, mode := range []string{"whole", "stream"} {
		forEach(t, mode, func(t *testing.T, s subject) {
			answer := response(t, responseParams(s, "Hello there."), mode)
			contains(t, answer.OutputText(), "> Hello there.")
			if answer.Status != "completed" || answer.Usage.InputTokens == 0 || answer.Usage.OutputTokens == 0 {
				t.Fatalf("it ended with %q and %+v", answer.Status, answer.Usage)
			}
		})
		forEach(t, "tools/"+mode, func(t *testing.T, s subject) {
			tag := t.Name()
			params := responseParams(s, steps+" ("+tag+")")
			params.Tools = responseTools()
			if s.thinks {
				thinkingResponse(&params)
			}
			walk(t, func(step int) ([]call, string) {
				answer := response(t, params, mode)
				calls := responseCalls(answer)
				for _, item := range answer.Output {
					params.Input.OfInputItemList = append(params.Input.OfInputItemList, asInput(t, item))
				}
				for _, c := range calls {
					result := responses.ResponseInputItemParamOfFunctionCallOutput(resultOf(step))
					result.OfFunctionCallOutput.CallID = param.NewOpt(c.id)
					params.Input.OfInputItemList = append(params.Input.OfInputItemList, result)
				}
				return calls, answer.OutputText()
			})
			signaturesReturn(t, tag, s)
		})
		forEach(t, "tools/forced/"+mode, func(t *testing.T, s subject) {
			params := responseParams(s, "Hello from Oslo!")
			params.Tools = responseTools()
			params.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{
				OfToolChoiceMode: param.NewOpt(responses.ToolChoiceOptionsRequired),
			}
			if calls := responseCalls(response(t, params, mode)); len(calls) == 0 {
				t.Fatal("nothing was called")
			}
			params.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{
				OfFunctionTool: &responses.ToolChoiceFunctionParam{Name: "get_time"},
			}
			if calls := responseCalls(response(t, params, mode)); len(calls) != 1 || calls[0].name != "get_time" {
				t.Fatalf("called were %v", calls)
			}
		})
		forEachThinking(t, "thinking/"+mode, func(t *testing.T, s subject) {
			params := responseParams(s, "How many r are in strawberry?")
			thinkingResponse(&params)
			answer := response(t, params, mode)
			thought := ""
			for _, item := range answer.Output {
				if item, ok := item.AsAny().(responses.ResponseReasoningItem); ok {
					for _, part := range item.Summary {
						thought += part.Text
					}
				}
			}
			contains(t, thought, "strawberry")
			if answer.Usage.OutputTokensDetails.ReasoningTokens == 0 {
				t.Fatalf("it did not think: %+v", answer.Usage)
			}
		})
		forEach(t, "structured/"+mode, func(t *testing.T, s subject) {
			params := responseParams(s, personPrompt)
			params.Text.Format = responses.ResponseFormatTextConfigParamOfJSONSchema("person", personSchema)
			isPerson(t, response(t, params, mode).OutputText())
		})
	}
}
