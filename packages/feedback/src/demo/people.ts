/** Who acts in the demo, and as whom the services see them. */
import type { Identity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import type { Actor } from '../actor.ts';
import { AGENT, TEAM, VISITORS } from './data/people.ts';
import type { TeamKey } from './post-text.ts';

/** A visitor by name, or somebody of the team by key; `agent` acts for one of the team. */
export type Person = TeamKey | 'agent' | (string & {});

/** The people of the demo, once they have joined. */
export interface Cast {
  /** Lets somebody in; again is the same as once. */
  join(person: Person): Promise<void>;
  actor(person: Person): Actor;
}

/** The names of all visitors. */
export const visitors = VISITORS;

/** The keys of the team; the first one is an administrator. */
export const team: readonly TeamKey[] = TEAM.map(({ key }) => key);

/** True for those of the team. */
export function isTeamKey(person: Person): person is TeamKey {
  return TEAM.some(({ key }) => key === person);
}

/** Creates the cast of an organization. */
export function createCast(identity: Identity, organizationId: string, ownerUserId: string): Cast {
  const actors = new Map<Person, Actor>();
  const owner: Caller = {
    id: 'demo',
    name: 'Demo',
    organizationId,
    userId: ownerUserId,
    roles: ['owner'],
    grants: ALL_GRANTS,
    source: 'web',
    unattended: false,
  };
  return {
    async join(person) {
      if (actors.has(person)) return;
      const colleague = TEAM.find(({ key }) => key === person);
      const rank = colleague === undefined ? 'user' : person === TEAM[0].key ? 'admin' : 'member';
      const email = colleague === undefined ? null : emailOf(colleague.name);
      const userId = await identity.createUser({ name: colleague?.name ?? person, email });
      const memberId = await identity.addMember(owner, { userId, roles: [rank] });
      actors.set(person, { organizationId, memberId, userId, rank, agentName: null, mayList: [] });
    },
    actor(person) {
      if (person === 'agent') return { ...this.actor(AGENT.owner), agentName: AGENT.name };
      const actor = actors.get(person);
      if (actor === undefined) throw new Error(`${person} has not joined the demo.`);
      return actor;
    },
  };
}

function emailOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return `${plain.replace(/[^a-z]+/g, '.')}@harbor.example`;
}
