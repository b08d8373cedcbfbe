import { catalogueFor, type AccessPolicy } from "./access/access-policy.ts";
import { createAnswerAudience, type AnswerAudience } from "./answering/answer-audience.ts";
import { createAnswerIncident } from "./answering/answer-incident.ts";
import { checkRecommendation } from "./answering/check-recommendation.ts";
import { classifyByRules } from "./answering/classify-by-rules.ts";
import type { Classify, Recommend } from "./answering/model-steps.ts";
import { recommendExtractive } from "./answering/recommend-extractive.ts";
import { createRetriever } from "./answering/retrieve-passages.ts";
import { createChooseWhomToAsk, createNameClosest } from "./answering/whom-to-ask.ts";
import type { EmbeddingModel } from "./models/embedding-model.ts";
import type { PassageStore } from "./store/passage-store.ts";

/** Wires the steps of the answering story from their clients; main and the scripts share it. */
export function createAnswering({
  policy,
  store,
  embeddingModel,
}: {
  readonly policy: () => AccessPolicy;
  readonly store: PassageStore;
  readonly embeddingModel: EmbeddingModel;
}): AnswerAudience {
  const classify: Classify = async (message, allowedServices) => ({
    classification: classifyByRules(message, catalogueFor(policy(), allowedServices)),
    answeredBy: "rules",
    warning: null,
  });
  const recommend: Recommend = async (classification, _message, passages) => ({
    draft: recommendExtractive(classification, passages),
    answeredBy: "extractive",
    warning: null,
  });
  const answerIncident = createAnswerIncident({
    classify,
    retrieve: createRetriever({ store, embeddingModel, policy }),
    recommend,
    check: checkRecommendation,
    nameClosest: createNameClosest(policy),
    chooseWhomToAsk: createChooseWhomToAsk(policy),
  });
  return createAnswerAudience(answerIncident);
}
