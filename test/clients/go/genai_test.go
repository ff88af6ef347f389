package clients

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genai"
)

func genaiClient(t *testing.T) *genai.Client {
	t.Helper()
	g := gateway(t)
	client, err := genai.NewClient(background(), &genai.ClientConfig{
		APIKey: g.key, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: g.url},
	})
	must(t, err)
	return client
}

// content asks for a whole answer or a stream, and returns its chunks.
func content(t *testing.T, s subject, contents []*genai.Content, config *genai.GenerateContentConfig, mode string) []*genai.GenerateContentResponse {
	t.Helper()
	models := genaiClient(t).Models
	if mode == "whole" {
		answer, err := models.GenerateContent(background(), googleName(s), contents, config)
		must(t, err)
		return []*genai.GenerateContentResponse{answer}
	}
	var chunks []*genai.GenerateContentResponse
	for chunk, err := range models.GenerateContentStream(background(), googleName(s), contents, config) {
		must(t, err)
		chunks = append(chunks, chunk)
	}
	return chunks
}

// googleName leaves out the vendor that this format means by default.
func googleName(s subject) string { return strings.TrimPrefix(s.model, "google/") }

func parts(chunks []*genai.GenerateContentResponse) []*genai.Part {
	var all []*genai.Part
	for _, chunk := range chunks {
		if len(chunk.Candidates) > 0 && chunk.Candidates[0].Content != nil {
			all = append(all, chunk.Candidates[0].Content.Parts...)
		}
	}
	return all
}

// texts returns what the model says and what it thinks.
func texts(chunks []*genai.GenerateContentResponse) (said, thought string) {
	for _, part := range parts(chunks) {
		if part.Thought {
			thought += part.Text
		} else {
			said += part.Text
		}
	}
	return said, thought
}

func contentCalls(chunks []*genai.GenerateContentResponse) ([]call, []*genai.Part) {
	var calls []call
	var results []*genai.Part
	for _, part := range parts(chunks) {
		if made := part.FunctionCall; made != nil {
			arguments, _ := json.Marshal(made.Args)
			calls = append(calls, call{made.ID, made.Name, string(arguments)})
			results = append(results, &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: made.ID, Name: made.Name}})
		}
	}
	return calls, results
}

func functionTools() []*genai.Tool {
	var declared []*genai.FunctionDeclaration
	for _, name := range toolNames {
		declared = append(declared, &genai.FunctionDeclaration{
			Name: name, Description: "Does " + name,
			Parameters: &genai.Schema{
				Type:       genai.TypeObject,
				Properties: map[string]*genai.Schema{"city": {Type: genai.TypeString}},
				Required:   []string{"city"},
			},
		})
	}
	return []*genai.Tool{{FunctionDeclarations: declared}}
}

func thinkingContent(s subject, shows bool) *genai.ThinkingConfig {
	if !s.thinks {
		return nil
	}
	return &genai.ThinkingConfig{IncludeThoughts: shows, ThinkingBudget: genai.Ptr[int32](2048)}
}

func TestGenai(t *testing.T) {
	for _, mode := range []string{"whole", "stream"} {
		forEach(t, mode, func(t *testing.T, s subject) {
			chunks := content(t, s, genai.Text("Hello there."), nil, mode)
			said, _ := texts(chunks)
			contains(t, said, "> Hello there.")
			last := chunks[len(chunks)-1]
			if len(last.Candidates) == 0 || last.Candidates[0].FinishReason != genai.FinishReasonStop ||
				last.UsageMetadata == nil || last.UsageMetadata.PromptTokenCount == 0 || last.UsageMetadata.CandidatesTokenCount == 0 {
				t.Fatalf("it ended with %+v", last)
			}
		})
		forEach(t, "tools/loop/"+mode, func(t *testing.T, s subject) {
			tag := t.Name()
			contents := genai.Text(steps + " (" + tag + ")")
			config := &genai.GenerateContentConfig{Tools: functionTools(), ThinkingConfig: thinkingContent(s, true)}
			walk(t, func(step int) ([]call, string) {
				chunks := content(t, s, contents, config, mode)
				calls, results := contentCalls(chunks)
				for _, result := range results {
					result.FunctionResponse.Response = map[string]any{"output": resultOf(step)}
				}
				contents = append(contents, genai.NewContentFromParts(parts(chunks), genai.RoleModel))
				contents = append(contents, genai.NewContentFromParts(results, genai.RoleUser))
				said, _ := texts(chunks)
				return calls, said
			})
			signaturesReturn(t, tag, s)
		})
		for _, shown := range []string{"shown", "hidden"} {
			forEach(t, "tools/chat/"+shown+"/"+mode, func(t *testing.T, s subject) { chat(t, s, shown == "shown", mode) })
		}
		forEach(t, "tools/forced/"+mode, func(t *testing.T, s subject) {
			config := &genai.GenerateContentConfig{Tools: functionTools(), ToolConfig: &genai.ToolConfig{
				FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAny},
			}}
			ask := func() []call {
				calls, _ := contentCalls(content(t, s, genai.Text("Hello from Oslo!"), config, mode))
				return calls
			}
			if calls := ask(); len(calls) == 0 {
				t.Fatal("nothing was called")
			}
			config.ToolConfig.FunctionCallingConfig.AllowedFunctionNames = []string{"get_time"}
			if calls := ask(); len(calls) != 1 || calls[0].name != "get_time" {
				t.Fatalf("called were %v", calls)
			}
		})
		forEachThinking(t, "thinking/"+mode, func(t *testing.T, s subject) {
			if !s.shows {
				return
			}
			config := &genai.GenerateContentConfig{ThinkingConfig: thinkingContent(s, true)}
			chunks := content(t, s, genai.Text("How many r are in strawberry?"), config, mode)
			said, thought := texts(chunks)
			contains(t, thought, "strawberry")
			contains(t, said, "strawberry")
			if last := chunks[len(chunks)-1]; last.UsageMetadata.ThoughtsTokenCount == 0 {
				t.Fatalf("no thoughts are counted: %+v", last.UsageMetadata)
			}
		})
		forEach(t, "structured/"+mode, func(t *testing.T, s subject) {
			said, _ := texts(content(t, s, genai.Text(personPrompt), &genai.GenerateContentConfig{
				ResponseMIMEType: "application/json",
				ResponseSchema: &genai.Schema{
					Type: genai.TypeObject,
					Properties: map[string]*genai.Schema{
						"name": {Type: genai.TypeString},
						"age":  {Type: genai.TypeInteger},
					},
					Required: []string{"name", "age"},
				},
			}, mode))
			isPerson(t, said)
		})
		forEach(t, "structured/json_schema/"+mode, func(t *testing.T, s subject) {
			said, _ := texts(content(t, s, genai.Text(personPrompt), &genai.GenerateContentConfig{
				ResponseMIMEType: "application/json", ResponseJsonSchema: personSchema,
			}, mode))
			isPerson(t, said)
		})
	}
}

// chat walks through the steps and one more turn, and lets the SDK keep the history.
func chat(t *testing.T, s subject, shows bool, mode string) {
	tag := t.Name()
	config := &genai.GenerateContentConfig{Tools: functionTools(), ThinkingConfig: thinkingContent(s, shows)}
	chat, err := genaiClient(t).Chats.Create(background(), googleName(s), config, nil)
	must(t, err)
	send := func(message []*genai.Part) []*genai.GenerateContentResponse {
		if mode == "whole" {
			answer, err := chat.Send(background(), message...)
			must(t, err)
			return []*genai.GenerateContentResponse{answer}
		}
		var chunks []*genai.GenerateContentResponse
		for chunk, err := range chat.SendStream(background(), message...) {
			must(t, err)
			chunks = append(chunks, chunk)
		}
		return chunks
	}
	message := []*genai.Part{{Text: steps + " (" + tag + ")"}}
	walk(t, func(step int) ([]call, string) {
		chunks := send(message)
		calls, results := contentCalls(chunks)
		for _, result := range results {
			result.FunctionResponse.Response = map[string]any{"output": resultOf(step)}
		}
		message = results
		said, _ := texts(chunks)
		return calls, said
	})
	said, _ := texts(send([]*genai.Part{{Text: "Thanks. And tomorrow?"}}))
	contains(t, said, "> Thanks. And tomorrow?")
	// A turn that the SDK does not take for valid is not in the curated history, and so not in the next request. A chunk that
	// ends a stream without text is left out by the SDK on purpose.
	curated, all := chat.History(true), chat.History(false)
	all = slices.DeleteFunc(all, func(c *genai.Content) bool { return !slices.ContainsFunc(c.Parts, hasData) })
	if len(curated) != len(all) {
		t.Fatalf("the curated history has %d of %d contents", len(curated), len(all))
	}
	signaturesReturn(t, tag, s)
}

func hasData(part *genai.Part) bool {
	return part.Text != "" || part.FunctionCall != nil || part.FunctionResponse != nil
}
