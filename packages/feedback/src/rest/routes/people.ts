/** Routes of members and of everybody who has been here. */
import { flag, idList, limitUpTo, nothing, one, page, pageFields } from '@parley/http/rest';
import * as z from 'zod';
import { Member, Person, PERSON_SORTS, RANKS } from '../../shapes/nouns.ts';
import { defineRoute } from '../route.ts';
import { MOST_MEMBERS } from '../../services/people/members.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

const personQuery = z.strictObject({
  search: z.string().optional().describe('Part of a name or an e-mail address'),
  verified: flag('Only people whose e-mail address is verified, or is not'),
  dateFrom: z.string().optional().describe('Joined at or after this date or time'),
  dateTo: z
    .string()
    .optional()
    .describe('Joined at or before it; a date alone means the end of that UTC day'),
  id: z.string().max(128).optional().describe('This person alone, by the id of the member'),
  sort: z.enum(PERSON_SORTS).optional().describe('newest when absent'),
  ...pageFields,
});

const memberQuery = z.strictObject({
  search: z.string().optional().describe('Part of a name or an e-mail address'),
  ids: idList('Only these members, of whom those who are not on the team are left out'),
  limit: limitUpTo(MOST_MEMBERS, MOST_MEMBERS),
  cursor: pageFields.cursor,
});

export const peopleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/members',
    summary: 'List the team, the oldest first',
    who: whoFor(WHO_MAY.members.list),
    grants: ['members'],
    query: memberQuery,
    answer: page('Member', Member),
    run: ({ services, actor, query }) => services.members.list(actor, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/members/:id',
    summary: 'Read a member',
    who: whoFor(WHO_MAY.members.get),
    grants: ['members'],
    answer: one('Member', Member),
    run: ({ services, actor, params }) => services.members.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/members/:id',
    summary: 'Change the role of a member',
    who: whoFor(WHO_MAY.members.setRole),
    isSensitive: true,
    grants: ['manage_members'],
    body: z.strictObject({ role: z.enum(RANKS) }),
    answer: one('Member', Member),
    run: ({ services, caller, actor, params, body, check }) =>
      services.members.setRole(actor, caller, params.id, body.role, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/members/:id',
    summary: 'Remove a member from the organization',
    who: whoFor(WHO_MAY.members.remove),
    grants: ['manage_members'],
    answer: nothing,
    run: ({ services, caller, actor, params, check }) =>
      services.members.remove(actor, caller, params.id, check),
  }),
  defineRoute({
    method: 'GET',
    path: '/users',
    summary: 'List people with what they did',
    who: whoFor(WHO_MAY.members.people),
    grants: ['members'],
    query: personQuery,
    answer: page('Person', Person),
    run: ({ services, actor, query }) => services.members.people(actor, query),
  }),
];
