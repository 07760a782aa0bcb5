import { type Family, gauge } from './exposition.js';
import { LabelledCounter } from './labelled-counter.js';

/** What features that are not requests of their own count while the server runs. */
export class UsageCounters {
  /** Searches that chats made, by `type`: the kind of route. */
  readonly chatSearches = new LabelledCounter('chat_searches_total', 'Searches made by chats');
  /** Tokens that chats sent, by `workspace` and `model`. */
  readonly chatPromptTokens = new LabelledCounter('chat_prompt_tokens_total', 'Tokens sent');
  /** Tokens that chats got, by `workspace` and `model`. */
  readonly chatCompletionTokens = new LabelledCounter(
    'chat_completion_tokens_total',
    'Tokens received by chats',
  );
  /** Tokens of chats in both directions, by `workspace` and `model`. */
  readonly chatTokens = new LabelledCounter('chat_tokens_total', 'Tokens of chats');
  /** Searches whose answer was put in another order for their user. */
  personalizedSearches = 0;
  /** How many searches their time limit cut off: the engine counts them. */
  readonly degradedSearches: () => number;

  constructor(degradedSearches: () => number = () => 0) {
    this.degradedSearches = degradedSearches;
  }

  /** The counts so far. */
  families(): Family[] {
    return [
      gauge(
        'degraded_search_requests',
        'Searches that their time limit cut off',
        this.degradedSearches(),
      ),
      gauge(
        'personalized_search_requests',
        'Searches personalised for their user',
        this.personalizedSearches,
      ),
      this.chatSearches.family(),
      this.chatPromptTokens.family(),
      this.chatCompletionTokens.family(),
      this.chatTokens.family(),
    ];
  }
}
