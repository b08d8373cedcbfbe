import type { BaseChatModel } from "@langchain/core/language_models/chat_models";

import type { Config } from "../config.ts";
import type { Logger } from "../logger.ts";
import type { StructuredModel } from "./ask-structured.ts";

/** The configured chat model, or null. It retries nothing: the steps share one time budget and have fallbacks. */
async function createChatModel(settings: Config["models"]): Promise<BaseChatModel | null> {
  if (settings.chatModel === null) return null;
  // Loaded only where it is configured: it costs a good part of the start and of the memory.
  const { ChatOpenAICompletions } = await import("@langchain/openai");
  return new ChatOpenAICompletions({
    model: settings.chatModel,
    apiKey: settings.apiKey ?? "none",
    maxRetries: 0,
    timeout: settings.timeoutMs,
    // Reasoning models refuse a temperature.
    ...(/^(?:o\d|gpt-5)/.test(settings.chatModel) ? {} : { temperature: 0 }),
    ...(settings.baseUrl === null ? {} : { configuration: { baseURL: settings.baseUrl, maxRetries: 0 } }),
  });
}

/** The chat model as the answering steps use it, or null when none is configured. */
export async function createChat(settings: Config["models"], log: Logger): Promise<StructuredModel | null> {
  const model = await createChatModel(settings);
  if (model === null) return null;
  const { createStructuredModel } = await import("./ask-structured.ts");
  return createStructuredModel(model, settings.chatModel ?? "", log);
}

/** LangChain uploads prompts when any of these says so, and reroutes chat for the last; nobody asked for that here. */
export function disableTracing(env: Record<string, string | undefined>): void {
  for (const name of [
    "LANGSMITH_TRACING",
    "LANGSMITH_TRACING_V2",
    "LANGCHAIN_TRACING",
    "LANGCHAIN_TRACING_V2",
    "LANGSMITH_GATEWAY",
  ]) {
    delete env[name];
  }
}
