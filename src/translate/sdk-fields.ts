/**
 * The request fields that the vendors' SDKs know, and the types of tools: generated from the SDKs' types by
 * `test/pipeline/sdk-fields.test.ts`. Behind a field, in brackets, are those of the object that it holds. Lists are
 * left out; what has a `*` may hold anything.
 */

import type { FormatName } from '../conversation/prompt.ts';

interface SdkFields {
  readonly fields: string;
  readonly tools: string;
}

export const SDK_FIELDS: Readonly<Record<FormatName, SdkFields>> = {
  'chat-completions': {
    fields: `
      audio(format voice(id))
      frequency_penalty
      function_call(name)
      functions(description name parameters(*))
      logit_bias(*)
      logprobs
      max_completion_tokens
      max_tokens
      messages(*)
      metadata(*)
      modalities
      model
      moderation(model policy(input(mode) output(mode)))
      n
      parallel_tool_calls
      prediction(content(prompt_cache_breakpoint(mode ttl) text type) type)
      presence_penalty
      prompt_cache_key
      prompt_cache_options(mode ttl)
      prompt_cache_retention
      reasoning_effort
      response_format(json_schema(description name schema(*) strict) type)
      safety_identifier
      seed
      service_tier
      stop
      store
      stream
      stream_options(include_obfuscation include_usage)
      temperature
      tool_choice(allowed_tools(mode tools(*)) custom(name) function(name) type)
      tools(custom(description format(grammar(definition syntax) type) name) function(description name
        parameters(*) strict) type)
      top_logprobs
      top_p
      user
      verbosity
      web_search_options(search_context_size user_location(approximate(city country region timezone) type))
    `,
    tools: `
      custom function
    `,
  },
  responses: {
    fields: `
      access_programs(cyber)
      background
      background_options(completion_window continuation_id)
      betas
      context_management(compact_threshold type)
      conversation(id)
      image(context_compression)
      include
      input(*)
      instructions(*)
      max_output_tokens
      max_tool_calls
      metadata(*)
      model
      moderation(model policy(input(mode) output(mode)))
      multi_agent(enabled max_concurrent_subagents)
      parallel_tool_calls
      personality
      previous_response_id
      prompt(id variables(*) version)
      prompt_cache_key
      prompt_cache_options(comparison_response_id mode prewarm ttl)
      prompt_cache_retention
      reasoning(context effort generate_summary mode summary)
      safety_identifier
      service_tier
      store
      stream
      stream_options(include_obfuscation)
      temperature
      text(format(description name schema(*) strict type) verbosity)
      tool_choice(mode name server_label tools(*) type)
      tools(action allowed_callers allowed_tools(read_only tool_names) async authorization background
        complexity connector_id container(file_ids memory_limit network_policy(allowed_domains
        domain_secrets(domain name value) type) type) defer_loading description display_height display_width
        environment(container_id file_ids memory_limit network_policy(allowed_domains domain_secrets(domain
        name value) type) skills(description name path skill_id source(data media_type type) type version)
        type) execution external_web_access filters(allowed_domains filters(*) key type value)
        format(definition syntax type) frame_count frame_duration_ms headers(*) input_fidelity
        input_image_mask(file_id image_url) max_num_results model moderation name output_compression
        output_format output_schema(*) parameters(*) partial_images quality
        ranking_options(hybrid_search(embedding_weight text_weight) ranker score_threshold)
        require_approval(always(read_only tool_names) never(read_only tool_names)) search_content_types
        search_context_size server_description server_label server_url size strict svg(model
        reasoning(effort)) tools(allowed_callers async defer_loading description format(definition syntax
        type) name output_schema(*) parameters(*) strict type) tunnel_id type user_location(city country
        region timezone type) vector_store_ids)
      top_logprobs
      top_p
      truncation
      user
    `,
    tools: `
      apply_patch code_interpreter computer computer_use_preview custom file_search function image_generation
      local_shell mcp namespace programmatic_tool_calling shell tool_search web_search web_search_2025_08_26
      web_search_preview web_search_preview_2025_03_11
    `,
  },
  messages: {
    fields: `
      betas
      billing_policy(bill_to type)
      cache_control(ttl type)
      compaction(instructions type)
      container(id skills(skill_id type version))
      context_management(edits(clear_at_least(type value) clear_tool_inputs exclude_tools instructions
        keep(type value) pause_after_compaction trigger(type value) type))
      diagnostics(previous_message_id)
      fallback_credit_token(mode token)
      fallbacks(* max_tokens model output_config(effort format(schema(*) type) task_budget(remaining total
        type)) speed thinking(block_binding(prefix_mismatch_behavior) budget_tokens display type))
      inference_geo
      max_tokens
      mcp_servers(authorization_token name tool_configuration(allowed_tools enabled) type url)
      messages(*)
      metadata(user_id)
      model
      output_config(effort format(schema(*) type) task_budget(remaining total type))
      output_format(schema(*) type)
      service_tier
      speed
      stop_sequences
      stream
      system(*)
      thinking(block_binding(prefix_mismatch_behavior) budget_tokens display type)
      thread(previous_message_id type)
      tool_choice(disable_parallel_tool_use name type)
      tools(allowed_callers allowed_domains blocked_domains cache_control(ttl type) caching(ttl type)
        citations(enabled) configs(* close_tab(defer_loading enabled) cursor_position(defer_loading enabled)
        double_click(defer_loading enabled) file_upload(defer_loading enabled) find(defer_loading enabled)
        form_input(defer_loading enabled) get_page_text(defer_loading enabled) hold_key(defer_loading enabled)
        hover(defer_loading enabled) javascript_exec(defer_loading enabled) key(defer_loading enabled)
        left_click(defer_loading enabled) left_click_drag(defer_loading enabled) left_mouse_down(defer_loading
        enabled) left_mouse_up(defer_loading enabled) list_tabs(defer_loading enabled)
        middle_click(defer_loading enabled) mouse_move(defer_loading enabled) navigate(defer_loading enabled)
        new_tab(defer_loading enabled) read_console(defer_loading enabled) read_network(defer_loading enabled)
        read_page(defer_loading enabled) right_click(defer_loading enabled) screenshot(defer_loading enabled)
        scroll(defer_loading enabled) scroll_to(defer_loading enabled) switch_tab(defer_loading enabled)
        triple_click(defer_loading enabled) type(defer_loading enabled) wait(defer_loading enabled)
        zoom(defer_loading enabled)) default_config(defer_loading enabled) defer_loading description
        display_height_px display_number display_width_px eager_input_streaming enable_zoom input_examples(*)
        input_schema(* properties(*) required type) max_characters max_content_tokens max_tokens max_uses
        mcp_server_name model name response_inclusion strict tools(description input_schema(*) name) type
        url_sources(client_tool_results(tools(name type) type) server_tool_results(tools(name type) type)
        user_input(type)) use_cache user_location(city country region timezone type))
      user_profile_id
      workspace_id
    `,
    tools: `
      advisor_20260301 bash_20241022 bash_20250124 browser_toolset_20260801 code_execution_20250522
      code_execution_20250825 code_execution_20260120 code_execution_20260521 computer_20241022
      computer_20250124 computer_20251124 computer_toolset_20260801 custom mcp_toolset memory_20250818
      text_editor_20241022 text_editor_20250124 text_editor_20250429 text_editor_20250728
      tool_search_tool_bm25 tool_search_tool_bm25_20251119 tool_search_tool_regex
      tool_search_tool_regex_20251119 web_fetch_20250910 web_fetch_20260209 web_fetch_20260309
      web_fetch_20260318 web_search_20250305 web_search_20260209 web_search_20260318
    `,
  },
  'generate-content': {
    fields: `
      cachedContent
      contents(*)
      continuationToken
      generationConfig(audioTimestamp audioTranscriptionConfig(adaptationPhrases customVocabulary diarization
        languageAuto(*) languageCodes languageHints(languageCodes) mode sourceText wordTimestamp)
        candidateCount enableAffectiveDialog enableEnhancedCivicAnswers frequencyPenalty
        imageConfig(aspectRatio imageOutputOptions(compressionQuality mimeType) imageSize
        outputCompressionQuality outputMimeType personGeneration prominentPeople) logprobs maxOutputTokens
        mediaResolution modelSelectionConfig(featureSelectionPreference) presencePenalty
        responseFormat(audio(bitRate delivery mimeType sampleRate) image(aspectRatio delivery imageSize
        mimeType) text(mimeType schema(*)) video(aspectRatio delivery duration gcsUri resolution))
        responseJsonSchema(*) responseLogprobs responseMimeType responseModalities responseSchema(* anyOf(*)
        default(*) description enum example(*) format items(*) maxItems maxLength maxProperties maximum
        minItems minLength minProperties minimum nullable pattern properties(*) propertyOrdering required
        title type) routingConfig(autoMode(modelRoutingPreference) manualMode(modelName)) seed
        speechConfig(languageCode multiSpeakerVoiceConfig(speakerVoiceConfigs(speaker
        voiceConfig(prebuiltVoiceConfig(voiceName) replicatedVoiceConfig(consentAudio mimeType
        voiceConsentSignature(signature) voiceSampleAudio) voice))) voiceConfig(prebuiltVoiceConfig(voiceName)
        replicatedVoiceConfig(consentAudio mimeType voiceConsentSignature(signature) voiceSampleAudio) voice))
        stopSequences temperature thinkingConfig(includeThoughts thinkingBudget thinkingLevel) topK topP
        translationConfig(echoTargetLanguage targetLanguageCode))
      labels(*)
      model
      modelArmorConfig(promptTemplateName responseTemplateName)
      outputConfig(outputUriPrefix)
      safetySettings(category method threshold)
      serviceTier
      store
      systemInstruction(*)
      toolConfig(functionCallingConfig(allowedFunctionNames mode streamFunctionCallArguments)
        includeServerSideToolInvocations retrievalConfig(languageCode latLng(latitude longitude)))
      tools(callTool(*) codeExecution(*) computerUse(disabledSafetyPolicies enablePromptInjectionDetection
        environment excludedPredefinedFunctions) enterpriseWebSearch(blockingConfidence excludeDomains)
        exaAiSearch(apiKey customConfigs(*)) fileSearch(fileSearchStoreNames metadataFilter topK)
        functionDeclarations(behavior description name parameters(* anyOf(*) default(*) description enum
        example(*) format items(*) maxItems maxLength maxProperties maximum minItems minLength minProperties
        minimum nullable pattern properties(*) propertyOrdering required title type) parametersJsonSchema(*)
        response(* anyOf(*) default(*) description enum example(*) format items(*) maxItems maxLength
        maxProperties maximum minItems minLength minProperties minimum nullable pattern properties(*)
        propertyOrdering required title type) responseJsonSchema(*)) googleMaps(authConfig(apiKey
        apiKeyConfig(apiKeySecret apiKeyString httpElementLocation name) authType
        googleServiceAccountConfig(serviceAccount) httpBasicAuthConfig(credentialSecret)
        oauthConfig(accessToken serviceAccount) oidcConfig(idToken serviceAccount)) enableWidget
        groundingTypes(places(*) routing(*))) googleSearch(blockingConfidence excludeDomains
        searchTypes(imageSearch(*) webSearch(*)) timeRangeFilter(endTime startTime))
        googleSearchRetrieval(dynamicRetrievalConfig(dynamicThreshold mode)) mcpServers(name
        streamableHttpTransport(headers(*) sseReadTimeout terminateOnClose timeout url))
        parallelAiSearch(apiKey customConfigs(*) enableDataRetention enableZeroDataRetention)
        retrieval(disableAttribution externalApi(apiAuth(apiKeyConfig(apiKeySecretVersion apiKeyString))
        apiSpec authConfig(apiKey apiKeyConfig(apiKeySecret apiKeyString httpElementLocation name) authType
        googleServiceAccountConfig(serviceAccount) httpBasicAuthConfig(credentialSecret)
        oauthConfig(accessToken serviceAccount) oidcConfig(idToken serviceAccount)) elasticSearchParams(index
        numHits searchTemplate) endpoint simpleSearchParams(*)) vertexAiSearch(dataStoreSpecs(dataStore
        filter) datastore engine filter maxResults) vertexRagStore(ragCorpora ragResources(ragCorpus
        ragFileIds) ragRetrievalConfig(filter(metadataFilter vectorDistanceThreshold
        vectorSimilarityThreshold) hybridSearch(alpha) ranking(llmRanker(modelName) rankService(modelName))
        topK) similarityTopK storeContext vectorDistanceThreshold)) tool(*) urlContext(*))
    `,
    tools: '',
  },
};
