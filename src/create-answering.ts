import { catalogueFor, type AccessPolicy } from "./access/access-policy.ts";
import { createAnswerAudience, type AnswerAudience } from "./answering/answer-audience.ts";
import { createAnswerIncident } from "./answering/answer-incident.ts";
import { checkRecommendation } from "./answering/check-recommendation.ts";
import { classifyByRules } from "./answering/classify-by-rules.ts";
import { hideMovedRunbooks } from "./answering/hide-moved-runbooks.ts";
import type { Classify, Recommend } from "./answering/model-steps.ts";
import { classifyWithModel } from "./answering/classify-with-model.ts";
import { recommendWithModel } from "./answering/recommend-with-model.ts";
import { recommendExtractive } from "./answering/recommend-extractive.ts";
import { createRetriever } from "./answering/retrieve-passages.ts";
import { createChooseWhomToAsk, createNameClosest } from "./answering/whom-to-ask.ts";
import type { Classification } from "./domain.ts";
import type { EmbeddingModel } from "./models/embedding-model.ts";
import type { StructuredModel } from "./models/ask-structured.ts";
import type { PassageStore } from "./store/passage-store.ts";

/** Wires the steps of the answering story from their clients; main and the scripts share it. */
export function createAnswering({
  policy,
  store,
  embeddingModel,
  chat,
  modelBudgetMs,
}: {
  readonly policy: () => AccessPolicy;
  readonly store: PassageStore;
  readonly embeddingModel: EmbeddingModel;
  /** Null: rules and the runbook's own words answer. */
  readonly chat: StructuredModel | null;
  readonly modelBudgetMs: number;
}): AnswerAudience {
  const classify: Classify = async (message, allowedServices, budget) => {
    const catalogue = catalogueFor(policy(), allowedServices);
    const byRules = classifyByRules(message, catalogue);
    if (chat === null)
      return { classification: byRules, answeredBy: "rules", warning: warnOfLanguage(byRules, embeddingModel) };
    // Half of the time at most, so that the recommendation has the rest.
    const half = AbortSignal.any([budget, AbortSignal.timeout(modelBudgetMs / 2)]);
    return classifyWithModel(chat, message, catalogue, byRules, half);
  };
  const recommend: Recommend = async (classification, message, passages, budget) => {
    const withoutModel = () => recommendExtractive(classification, passages);
    if (chat === null) return { draft: withoutModel(), answeredBy: "extractive", warning: null };
    return recommendWithModel(chat, classification, message, passages, withoutModel, budget);
  };
  const answerIncident = createAnswerIncident({
    classify,
    retrieve: createRetriever({ store: hideMovedRunbooks(store, policy), embeddingModel, policy }),
    recommend,
    check: checkRecommendation,
    nameClosest: createNameClosest(policy),
    chooseWhomToAsk: createChooseWhomToAsk(policy),
    modelBudgetMs,
  });
  return createAnswerAudience(answerIncident);
}

/** Honest about the default: it reads English, and other languages word by word. */
function warnOfLanguage({ language }: Classification, { info }: EmbeddingModel): string | null {
  return language === "en" || info.provider !== "local"
    ? null
    : `The search reads English; of this question (${language}) it read names, numbers and the words it knows.`;
}
