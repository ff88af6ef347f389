/**
 * The request fields that the vendors' SDKs know, and the types of tools: generated from the SDKs' types by
 * `test/pipeline/sdk-fields.test.ts`. Lists are left out; what has a `*` may hold anything. As a tree the names take
 * 1.7 KB less of what a browser loads than as paths.
 */

import type { FormatName } from '../conversation/prompt.ts';

/** The fields of an object by their names, each with those of the object that it holds; 1 for one that holds none. */
export interface FieldTree {
  readonly [name: string]: FieldTree | 1;
}

export interface SdkFields {
  readonly fields: FieldTree;
  readonly tools: readonly string[];
}

export const SDK_FIELDS: Readonly<Record<FormatName, SdkFields>> = {
  'chat-completions': {
    fields: {
      audio: {
        format: 1,
        voice: {
          id: 1,
        },
      },
      frequency_penalty: 1,
      function_call: {
        name: 1,
      },
      functions: {
        description: 1,
        name: 1,
        parameters: {
          '*': 1,
        },
      },
      logit_bias: {
        '*': 1,
      },
      logprobs: 1,
      max_completion_tokens: 1,
      max_tokens: 1,
      messages: {
        '*': 1,
      },
      metadata: {
        '*': 1,
      },
      modalities: 1,
      model: 1,
      moderation: {
        model: 1,
        policy: {
          input: {
            mode: 1,
          },
          output: {
            mode: 1,
          },
        },
      },
      n: 1,
      parallel_tool_calls: 1,
      prediction: {
        content: {
          prompt_cache_breakpoint: {
            mode: 1,
            ttl: 1,
          },
          text: 1,
          type: 1,
        },
        type: 1,
      },
      presence_penalty: 1,
      prompt_cache_key: 1,
      prompt_cache_options: {
        mode: 1,
        ttl: 1,
      },
      prompt_cache_retention: 1,
      reasoning_effort: 1,
      response_format: {
        json_schema: {
          description: 1,
          name: 1,
          schema: {
            '*': 1,
          },
          strict: 1,
        },
        type: 1,
      },
      safety_identifier: 1,
      seed: 1,
      service_tier: 1,
      stop: 1,
      store: 1,
      stream: 1,
      stream_options: {
        include_obfuscation: 1,
        include_usage: 1,
      },
      temperature: 1,
      tool_choice: {
        allowed_tools: {
          mode: 1,
          tools: {
            '*': 1,
          },
        },
        custom: {
          name: 1,
        },
        function: {
          name: 1,
        },
        type: 1,
      },
      tools: {
        custom: {
          description: 1,
          format: {
            grammar: {
              definition: 1,
              syntax: 1,
            },
            type: 1,
          },
          name: 1,
        },
        function: {
          description: 1,
          name: 1,
          parameters: {
            '*': 1,
          },
          strict: 1,
        },
        type: 1,
      },
      top_logprobs: 1,
      top_p: 1,
      user: 1,
      verbosity: 1,
      web_search_options: {
        search_context_size: 1,
        user_location: {
          approximate: {
            city: 1,
            country: 1,
            region: 1,
            timezone: 1,
          },
          type: 1,
        },
      },
    },
    tools: ['custom', 'function'],
  },
  responses: {
    fields: {
      access_programs: {
        cyber: 1,
      },
      background: 1,
      background_options: {
        completion_window: 1,
        continuation_id: 1,
      },
      context_management: {
        compact_threshold: 1,
        type: 1,
      },
      conversation: {
        id: 1,
      },
      image: {
        context_compression: 1,
      },
      include: 1,
      input: {
        '*': 1,
      },
      instructions: {
        '*': 1,
      },
      max_output_tokens: 1,
      max_tool_calls: 1,
      metadata: {
        '*': 1,
      },
      model: 1,
      moderation: {
        model: 1,
        policy: {
          input: {
            mode: 1,
          },
          output: {
            mode: 1,
          },
        },
      },
      parallel_tool_calls: 1,
      personality: 1,
      previous_response_id: 1,
      prompt: {
        id: 1,
        variables: {
          '*': 1,
        },
        version: 1,
      },
      prompt_cache_key: 1,
      prompt_cache_options: {
        comparison_response_id: 1,
        mode: 1,
        prewarm: 1,
        ttl: 1,
      },
      prompt_cache_retention: 1,
      reasoning: {
        context: 1,
        effort: 1,
        generate_summary: 1,
        mode: 1,
        summary: 1,
      },
      safety_identifier: 1,
      service_tier: 1,
      store: 1,
      stream: 1,
      stream_options: {
        include_obfuscation: 1,
      },
      temperature: 1,
      text: {
        format: {
          description: 1,
          name: 1,
          schema: {
            '*': 1,
          },
          strict: 1,
          type: 1,
        },
        verbosity: 1,
      },
      tool_choice: {
        mode: 1,
        name: 1,
        server_label: 1,
        tools: {
          '*': 1,
        },
        type: 1,
      },
      tools: {
        action: 1,
        allowed_callers: 1,
        allowed_tools: {
          read_only: 1,
          tool_names: 1,
        },
        async: 1,
        authorization: 1,
        background: 1,
        complexity: 1,
        connector_id: 1,
        container: {
          file_ids: 1,
          memory_limit: 1,
          network_policy: {
            allowed_domains: 1,
            domain_secrets: {
              domain: 1,
              name: 1,
              value: 1,
            },
            type: 1,
          },
          type: 1,
        },
        defer_loading: 1,
        description: 1,
        display_height: 1,
        display_width: 1,
        environment: {
          container_id: 1,
          file_ids: 1,
          memory_limit: 1,
          network_policy: {
            allowed_domains: 1,
            domain_secrets: {
              domain: 1,
              name: 1,
              value: 1,
            },
            type: 1,
          },
          skills: {
            description: 1,
            name: 1,
            path: 1,
            skill_id: 1,
            source: {
              data: 1,
              media_type: 1,
              type: 1,
            },
            type: 1,
            version: 1,
          },
          type: 1,
        },
        execution: 1,
        external_web_access: 1,
        filters: {
          allowed_domains: 1,
          filters: {
            '*': 1,
          },
          key: 1,
          type: 1,
          value: 1,
        },
        format: {
          definition: 1,
          syntax: 1,
          type: 1,
        },
        frame_count: 1,
        frame_duration_ms: 1,
        headers: {
          '*': 1,
        },
        input_fidelity: 1,
        input_image_mask: {
          file_id: 1,
          image_url: 1,
        },
        max_num_results: 1,
        model: 1,
        moderation: 1,
        name: 1,
        output_compression: 1,
        output_format: 1,
        output_schema: {
          '*': 1,
        },
        parameters: {
          '*': 1,
        },
        partial_images: 1,
        quality: 1,
        ranking_options: {
          hybrid_search: {
            embedding_weight: 1,
            text_weight: 1,
          },
          ranker: 1,
          score_threshold: 1,
        },
        require_approval: {
          always: {
            read_only: 1,
            tool_names: 1,
          },
          never: {
            read_only: 1,
            tool_names: 1,
          },
        },
        search_content_types: 1,
        search_context_size: 1,
        server_description: 1,
        server_label: 1,
        server_url: 1,
        size: 1,
        strict: 1,
        svg: {
          model: 1,
          reasoning: {
            effort: 1,
          },
        },
        tools: {
          allowed_callers: 1,
          async: 1,
          defer_loading: 1,
          description: 1,
          format: {
            definition: 1,
            syntax: 1,
            type: 1,
          },
          name: 1,
          output_schema: {
            '*': 1,
          },
          parameters: {
            '*': 1,
          },
          strict: 1,
          type: 1,
        },
        tunnel_id: 1,
        type: 1,
        user_location: {
          city: 1,
          country: 1,
          region: 1,
          timezone: 1,
          type: 1,
        },
        vector_store_ids: 1,
      },
      top_logprobs: 1,
      top_p: 1,
      truncation: 1,
      user: 1,
    },
    tools: [
      'apply_patch',
      'code_interpreter',
      'computer',
      'computer_use_preview',
      'custom',
      'file_search',
      'function',
      'image_generation',
      'local_shell',
      'mcp',
      'namespace',
      'programmatic_tool_calling',
      'shell',
      'tool_search',
      'web_search',
      'web_search_2025_08_26',
      'web_search_preview',
      'web_search_preview_2025_03_11',
    ],
  },
  messages: {
    fields: {
      betas: 1,
      billing_policy: {
        bill_to: 1,
        type: 1,
      },
      cache_control: {
        ttl: 1,
        type: 1,
      },
      compaction: {
        instructions: 1,
        type: 1,
      },
      container: {
        id: 1,
        skills: {
          skill_id: 1,
          type: 1,
          version: 1,
        },
      },
      context_management: {
        edits: {
          clear_at_least: {
            type: 1,
            value: 1,
          },
          clear_tool_inputs: 1,
          exclude_tools: 1,
          instructions: 1,
          keep: {
            type: 1,
            value: 1,
          },
          pause_after_compaction: 1,
          trigger: {
            type: 1,
            value: 1,
          },
          type: 1,
        },
      },
      diagnostics: {
        previous_message_id: 1,
      },
      fallback_credit_token: {
        mode: 1,
        token: 1,
      },
      fallbacks: {
        '*': 1,
        max_tokens: 1,
        model: 1,
        output_config: {
          effort: 1,
          format: {
            schema: {
              '*': 1,
            },
            type: 1,
          },
          task_budget: {
            remaining: 1,
            total: 1,
            type: 1,
          },
        },
        speed: 1,
        thinking: {
          block_binding: {
            prefix_mismatch_behavior: 1,
          },
          budget_tokens: 1,
          display: 1,
          type: 1,
        },
      },
      inference_geo: 1,
      max_tokens: 1,
      mcp_servers: {
        authorization_token: 1,
        name: 1,
        tool_configuration: {
          allowed_tools: 1,
          enabled: 1,
        },
        type: 1,
        url: 1,
      },
      messages: {
        '*': 1,
      },
      metadata: {
        user_id: 1,
      },
      model: 1,
      output_config: {
        effort: 1,
        format: {
          schema: {
            '*': 1,
          },
          type: 1,
        },
        task_budget: {
          remaining: 1,
          total: 1,
          type: 1,
        },
      },
      output_format: {
        schema: {
          '*': 1,
        },
        type: 1,
      },
      service_tier: 1,
      speed: 1,
      stop_sequences: 1,
      stream: 1,
      system: {
        '*': 1,
      },
      thinking: {
        block_binding: {
          prefix_mismatch_behavior: 1,
        },
        budget_tokens: 1,
        display: 1,
        type: 1,
      },
      thread: {
        previous_message_id: 1,
        type: 1,
      },
      tool_choice: {
        disable_parallel_tool_use: 1,
        name: 1,
        type: 1,
      },
      tools: {
        allowed_callers: 1,
        allowed_domains: 1,
        blocked_domains: 1,
        cache_control: {
          ttl: 1,
          type: 1,
        },
        caching: {
          ttl: 1,
          type: 1,
        },
        citations: {
          enabled: 1,
        },
        configs: {
          '*': 1,
          close_tab: {
            defer_loading: 1,
            enabled: 1,
          },
          cursor_position: {
            defer_loading: 1,
            enabled: 1,
          },
          double_click: {
            defer_loading: 1,
            enabled: 1,
          },
          file_upload: {
            defer_loading: 1,
            enabled: 1,
          },
          find: {
            defer_loading: 1,
            enabled: 1,
          },
          form_input: {
            defer_loading: 1,
            enabled: 1,
          },
          get_page_text: {
            defer_loading: 1,
            enabled: 1,
          },
          hold_key: {
            defer_loading: 1,
            enabled: 1,
          },
          hover: {
            defer_loading: 1,
            enabled: 1,
          },
          javascript_exec: {
            defer_loading: 1,
            enabled: 1,
          },
          key: {
            defer_loading: 1,
            enabled: 1,
          },
          left_click: {
            defer_loading: 1,
            enabled: 1,
          },
          left_click_drag: {
            defer_loading: 1,
            enabled: 1,
          },
          left_mouse_down: {
            defer_loading: 1,
            enabled: 1,
          },
          left_mouse_up: {
            defer_loading: 1,
            enabled: 1,
          },
          list_tabs: {
            defer_loading: 1,
            enabled: 1,
          },
          middle_click: {
            defer_loading: 1,
            enabled: 1,
          },
          mouse_move: {
            defer_loading: 1,
            enabled: 1,
          },
          navigate: {
            defer_loading: 1,
            enabled: 1,
          },
          new_tab: {
            defer_loading: 1,
            enabled: 1,
          },
          read_console: {
            defer_loading: 1,
            enabled: 1,
          },
          read_network: {
            defer_loading: 1,
            enabled: 1,
          },
          read_page: {
            defer_loading: 1,
            enabled: 1,
          },
          right_click: {
            defer_loading: 1,
            enabled: 1,
          },
          screenshot: {
            defer_loading: 1,
            enabled: 1,
          },
          scroll: {
            defer_loading: 1,
            enabled: 1,
          },
          scroll_to: {
            defer_loading: 1,
            enabled: 1,
          },
          switch_tab: {
            defer_loading: 1,
            enabled: 1,
          },
          triple_click: {
            defer_loading: 1,
            enabled: 1,
          },
          type: {
            defer_loading: 1,
            enabled: 1,
          },
          wait: {
            defer_loading: 1,
            enabled: 1,
          },
          zoom: {
            defer_loading: 1,
            enabled: 1,
          },
        },
        default_config: {
          defer_loading: 1,
          enabled: 1,
        },
        defer_loading: 1,
        description: 1,
        display_height_px: 1,
        display_number: 1,
        display_width_px: 1,
        eager_input_streaming: 1,
        enable_zoom: 1,
        input_examples: {
          '*': 1,
        },
        input_schema: {
          '*': 1,
          properties: {
            '*': 1,
          },
          required: 1,
          type: 1,
        },
        max_characters: 1,
        max_content_tokens: 1,
        max_tokens: 1,
        max_uses: 1,
        mcp_server_name: 1,
        model: 1,
        name: 1,
        response_inclusion: 1,
        strict: 1,
        tools: {
          description: 1,
          input_schema: {
            '*': 1,
          },
          name: 1,
        },
        type: 1,
        url_sources: {
          client_tool_results: {
            tools: {
              name: 1,
              type: 1,
            },
            type: 1,
          },
          server_tool_results: {
            tools: {
              name: 1,
              type: 1,
            },
            type: 1,
          },
          user_input: {
            type: 1,
          },
        },
        use_cache: 1,
        user_location: {
          city: 1,
          country: 1,
          region: 1,
          timezone: 1,
          type: 1,
        },
      },
      user_profile_id: 1,
      workspace_id: 1,
    },
    tools: [
      'advisor_20260301',
      'bash_20241022',
      'bash_20250124',
      'browser_toolset_20260801',
      'code_execution_20250522',
      'code_execution_20250825',
      'code_execution_20260120',
      'code_execution_20260521',
      'computer_20241022',
      'computer_20250124',
      'computer_20251124',
      'computer_toolset_20260801',
      'custom',
      'mcp_toolset',
      'memory_20250818',
      'text_editor_20241022',
      'text_editor_20250124',
      'text_editor_20250429',
      'text_editor_20250728',
      'tool_search_tool_bm25',
      'tool_search_tool_bm25_20251119',
      'tool_search_tool_regex',
      'tool_search_tool_regex_20251119',
      'web_fetch_20250910',
      'web_fetch_20260209',
      'web_fetch_20260309',
      'web_fetch_20260318',
      'web_search_20250305',
      'web_search_20260209',
      'web_search_20260318',
    ],
  },
  'generate-content': {
    fields: {
      cachedContent: 1,
      contents: {
        '*': 1,
      },
      continuationToken: 1,
      generationConfig: {
        audioTimestamp: 1,
        audioTranscriptionConfig: {
          adaptationPhrases: 1,
          customVocabulary: 1,
          diarization: 1,
          languageAuto: {
            '*': 1,
          },
          languageCodes: 1,
          languageHints: {
            languageCodes: 1,
          },
          mode: 1,
          sourceText: 1,
          wordTimestamp: 1,
        },
        candidateCount: 1,
        enableAffectiveDialog: 1,
        enableEnhancedCivicAnswers: 1,
        frequencyPenalty: 1,
        imageConfig: {
          aspectRatio: 1,
          imageOutputOptions: {
            compressionQuality: 1,
            mimeType: 1,
          },
          imageSize: 1,
          outputCompressionQuality: 1,
          outputMimeType: 1,
          personGeneration: 1,
          prominentPeople: 1,
        },
        logprobs: 1,
        maxOutputTokens: 1,
        mediaResolution: 1,
        modelSelectionConfig: {
          featureSelectionPreference: 1,
        },
        presencePenalty: 1,
        responseFormat: {
          audio: {
            bitRate: 1,
            delivery: 1,
            mimeType: 1,
            sampleRate: 1,
          },
          image: {
            aspectRatio: 1,
            delivery: 1,
            imageSize: 1,
            mimeType: 1,
          },
          text: {
            mimeType: 1,
            schema: {
              '*': 1,
            },
          },
          video: {
            aspectRatio: 1,
            delivery: 1,
            duration: 1,
            gcsUri: 1,
            resolution: 1,
          },
        },
        responseJsonSchema: {
          '*': 1,
        },
        responseLogprobs: 1,
        responseMimeType: 1,
        responseModalities: 1,
        responseSchema: {
          '*': 1,
          anyOf: {
            '*': 1,
          },
          default: {
            '*': 1,
          },
          description: 1,
          enum: 1,
          example: {
            '*': 1,
          },
          format: 1,
          items: {
            '*': 1,
          },
          maxItems: 1,
          maxLength: 1,
          maxProperties: 1,
          maximum: 1,
          minItems: 1,
          minLength: 1,
          minProperties: 1,
          minimum: 1,
          nullable: 1,
          pattern: 1,
          properties: {
            '*': 1,
          },
          propertyOrdering: 1,
          required: 1,
          title: 1,
          type: 1,
        },
        routingConfig: {
          autoMode: {
            modelRoutingPreference: 1,
          },
          manualMode: {
            modelName: 1,
          },
        },
        seed: 1,
        speechConfig: {
          languageCode: 1,
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: {
              speaker: 1,
              voiceConfig: {
                prebuiltVoiceConfig: {
                  voiceName: 1,
                },
                replicatedVoiceConfig: {
                  consentAudio: 1,
                  mimeType: 1,
                  voiceConsentSignature: {
                    signature: 1,
                  },
                  voiceSampleAudio: 1,
                },
                voice: 1,
              },
            },
          },
          voiceConfig: {
            prebuiltVoiceConfig: {
              voiceName: 1,
            },
            replicatedVoiceConfig: {
              consentAudio: 1,
              mimeType: 1,
              voiceConsentSignature: {
                signature: 1,
              },
              voiceSampleAudio: 1,
            },
            voice: 1,
          },
        },
        stopSequences: 1,
        temperature: 1,
        thinkingConfig: {
          includeThoughts: 1,
          thinkingBudget: 1,
          thinkingLevel: 1,
        },
        topK: 1,
        topP: 1,
        translationConfig: {
          echoTargetLanguage: 1,
          targetLanguageCode: 1,
        },
      },
      labels: {
        '*': 1,
      },
      model: 1,
      modelArmorConfig: {
        promptTemplateName: 1,
        responseTemplateName: 1,
      },
      outputConfig: {
        outputUriPrefix: 1,
      },
      safetySettings: {
        category: 1,
        method: 1,
        threshold: 1,
      },
      serviceTier: 1,
      store: 1,
      systemInstruction: {
        '*': 1,
      },
      toolConfig: {
        functionCallingConfig: {
          allowedFunctionNames: 1,
          mode: 1,
          streamFunctionCallArguments: 1,
        },
        includeServerSideToolInvocations: 1,
        retrievalConfig: {
          languageCode: 1,
          latLng: {
            latitude: 1,
            longitude: 1,
          },
        },
      },
      tools: {
        callTool: {
          '*': 1,
        },
        codeExecution: {
          '*': 1,
        },
        computerUse: {
          disabledSafetyPolicies: 1,
          enablePromptInjectionDetection: 1,
          environment: 1,
          excludedPredefinedFunctions: 1,
        },
        enterpriseWebSearch: {
          blockingConfidence: 1,
          excludeDomains: 1,
        },
        exaAiSearch: {
          apiKey: 1,
          customConfigs: {
            '*': 1,
          },
        },
        fileSearch: {
          fileSearchStoreNames: 1,
          metadataFilter: 1,
          topK: 1,
        },
        functionDeclarations: {
          behavior: 1,
          description: 1,
          name: 1,
          parameters: {
            '*': 1,
            anyOf: {
              '*': 1,
            },
            default: {
              '*': 1,
            },
            description: 1,
            enum: 1,
            example: {
              '*': 1,
            },
            format: 1,
            items: {
              '*': 1,
            },
            maxItems: 1,
            maxLength: 1,
            maxProperties: 1,
            maximum: 1,
            minItems: 1,
            minLength: 1,
            minProperties: 1,
            minimum: 1,
            nullable: 1,
            pattern: 1,
            properties: {
              '*': 1,
            },
            propertyOrdering: 1,
            required: 1,
            title: 1,
            type: 1,
          },
          parametersJsonSchema: {
            '*': 1,
          },
          response: {
            '*': 1,
            anyOf: {
              '*': 1,
            },
            default: {
              '*': 1,
            },
            description: 1,
            enum: 1,
            example: {
              '*': 1,
            },
            format: 1,
            items: {
              '*': 1,
            },
            maxItems: 1,
            maxLength: 1,
            maxProperties: 1,
            maximum: 1,
            minItems: 1,
            minLength: 1,
            minProperties: 1,
            minimum: 1,
            nullable: 1,
            pattern: 1,
            properties: {
              '*': 1,
            },
            propertyOrdering: 1,
            required: 1,
            title: 1,
            type: 1,
          },
          responseJsonSchema: {
            '*': 1,
          },
        },
        googleMaps: {
          authConfig: {
            apiKey: 1,
            apiKeyConfig: {
              apiKeySecret: 1,
              apiKeyString: 1,
              httpElementLocation: 1,
              name: 1,
            },
            authType: 1,
            googleServiceAccountConfig: {
              serviceAccount: 1,
            },
            httpBasicAuthConfig: {
              credentialSecret: 1,
            },
            oauthConfig: {
              accessToken: 1,
              serviceAccount: 1,
            },
            oidcConfig: {
              idToken: 1,
              serviceAccount: 1,
            },
          },
          enableWidget: 1,
          groundingTypes: {
            places: {
              '*': 1,
            },
            routing: {
              '*': 1,
            },
          },
        },
        googleSearch: {
          blockingConfidence: 1,
          excludeDomains: 1,
          searchTypes: {
            imageSearch: {
              '*': 1,
            },
            webSearch: {
              '*': 1,
            },
          },
          timeRangeFilter: {
            endTime: 1,
            startTime: 1,
          },
        },
        googleSearchRetrieval: {
          dynamicRetrievalConfig: {
            dynamicThreshold: 1,
            mode: 1,
          },
        },
        mcpServers: {
          name: 1,
          streamableHttpTransport: {
            headers: {
              '*': 1,
            },
            sseReadTimeout: 1,
            terminateOnClose: 1,
            timeout: 1,
            url: 1,
          },
        },
        parallelAiSearch: {
          apiKey: 1,
          customConfigs: {
            '*': 1,
          },
          enableDataRetention: 1,
          enableZeroDataRetention: 1,
        },
        retrieval: {
          disableAttribution: 1,
          externalApi: {
            apiAuth: {
              apiKeyConfig: {
                apiKeySecretVersion: 1,
                apiKeyString: 1,
              },
            },
            apiSpec: 1,
            authConfig: {
              apiKey: 1,
              apiKeyConfig: {
                apiKeySecret: 1,
                apiKeyString: 1,
                httpElementLocation: 1,
                name: 1,
              },
              authType: 1,
              googleServiceAccountConfig: {
                serviceAccount: 1,
              },
              httpBasicAuthConfig: {
                credentialSecret: 1,
              },
              oauthConfig: {
                accessToken: 1,
                serviceAccount: 1,
              },
              oidcConfig: {
                idToken: 1,
                serviceAccount: 1,
              },
            },
            elasticSearchParams: {
              index: 1,
              numHits: 1,
              searchTemplate: 1,
            },
            endpoint: 1,
            simpleSearchParams: {
              '*': 1,
            },
          },
          vertexAiSearch: {
            dataStoreSpecs: {
              dataStore: 1,
              filter: 1,
            },
            datastore: 1,
            engine: 1,
            filter: 1,
            maxResults: 1,
          },
          vertexRagStore: {
            ragCorpora: 1,
            ragResources: {
              ragCorpus: 1,
              ragFileIds: 1,
            },
            ragRetrievalConfig: {
              filter: {
                metadataFilter: 1,
                vectorDistanceThreshold: 1,
                vectorSimilarityThreshold: 1,
              },
              hybridSearch: {
                alpha: 1,
              },
              ranking: {
                llmRanker: {
                  modelName: 1,
                },
                rankService: {
                  modelName: 1,
                },
              },
              topK: 1,
            },
            similarityTopK: 1,
            storeContext: 1,
            vectorDistanceThreshold: 1,
          },
        },
        tool: {
          '*': 1,
        },
        urlContext: {
          '*': 1,
        },
      },
    },
    tools: [],
  },
};
