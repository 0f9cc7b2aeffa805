/** The one stream of a tab: which lists and things have changed. */
import { ownAnswer } from '@parley/http/rest';
import * as z from 'zod';
import { TOPICS } from '../live/topics.ts';
import type { Topic } from '../live/topics.ts';
import { defineRoute, personIn } from '../scope.ts';

const isTopic = (text: string): text is Topic => TOPICS.some((topic) => topic === text);

export const liveRoutes = [
  defineRoute({
    method: 'GET',
    path: '/live',
    summary: 'Server-sent events {topic, id, version}; signed-out is the last one of a session',
    who: 'person',
    isQuiet: true,
    query: z.strictObject({
      topics: z
        .string()
        .max(500)
        .default(TOPICS.join(','))
        .describe('With commas; all of them when absent. Those that one may not see are silent'),
    }),
    answer: ownAnswer,
    async run(scope) {
      const { query, services, exchange } = scope;
      const wanted = query.topics.split(',').filter(isTopic);
      await services.live.open(exchange.res, personIn(scope), wanted);
    },
  }),
];
