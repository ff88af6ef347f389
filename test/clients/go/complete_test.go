package clients

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// nullable has the fields that the SDK marks as required although the vendor itself leaves them out: recordings of Anthropic's
// messages mostly lack them, and their types in the vendor's TypeScript SDK take null. The recordings of OpenAI's responses have
// no access_programs. DeepSeek's own answers, which pass as they are, lack the last one.
var nullable = []string{
	".container", ".diagnostics", ".citations", ".usage.cache_creation", ".usage.inference_geo", ".usage.output_tokens_details",
	".usage.server_tool_use", ".usage.service_tier", ".usage.speed", ".access_programs", ".message.refusal",
}

// complete fails unless every field that the SDK marks as required was in the JSON, however deep. The SDKs of OpenAI and
// Anthropic mark them by the tag `api:"required"`, constants by their `default`, and keep beside each struct what was read.
func complete(t *testing.T, value any) {
	t.Helper()
	if missing := missingIn(reflect.ValueOf(value), "", 0); len(missing) > 0 {
		t.Fatalf("%T lacks %s", value, strings.Join(missing, ", "))
	}
}

type rawer interface{ Raw() string }

func missingIn(value reflect.Value, path string, depth int) []string {
	if depth > 40 {
		return []string{path + " (too deep)"}
	}
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return nil
		}
		return missingIn(value.Elem(), path, depth+1)
	case reflect.Slice:
		var missing []string
		for i := range value.Len() {
			missing = append(missing, missingIn(value.Index(i), path+"[]", depth+1)...)
		}
		return missing
	case reflect.Struct:
		return missingInStruct(value, path, depth)
	}
	return nil
}

func missingInStruct(value reflect.Value, path string, depth int) []string {
	// A union has the fields of all its variants; only the variant itself says which are required.
	if variant := value.MethodByName("AsAny"); variant.IsValid() {
		chosen := variant.Call(nil)[0]
		if chosen.IsNil() {
			return []string{path + " (a variant that the SDK knows)"}
		}
		return missingIn(chosen, path, depth+1)
	}
	read := value.FieldByName("JSON")
	if !read.IsValid() || read.Kind() != reflect.Struct {
		return nil
	}
	var missing []string
	for i := range value.NumField() {
		field := value.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		meta := read.FieldByName(field.Name)
		if name == "" || name == "-" || !meta.IsValid() {
			continue
		}
		raw, ok := meta.Interface().(rawer)
		if !ok {
			continue
		}
		_, isConstant := field.Tag.Lookup("default")
		here := path + "." + name
		switch {
		case raw.Raw() == "":
			isRequired := isConstant || strings.Contains(field.Tag.Get("api"), "required")
			if isRequired && !slices.ContainsFunc(nullable, func(end string) bool { return strings.HasSuffix(here, end) }) {
				missing = append(missing, here)
			}
		case raw.Raw() != "null":
			missing = append(missing, missingIn(value.Field(i), here, depth+1)...)
		}
	}
	return missing
}
