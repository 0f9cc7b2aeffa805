/** The skills extension: the skills of all servers behind an endpoint, each with the server that it is of. */
import * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import type { CatalogResource } from '../catalog/compiled-resource.ts';
import type { Endpoints } from '../catalog/endpoints.ts';
import { ProtocolFault, RPC } from '../call/errors.ts';
import type { Skill } from '../define/skill.ts';
import type { Extension } from './extension.ts';

/** The capability under which both sides declare the extension. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

const CONNECTION = 'parley/connection';
const PAGE_SIZE = 200;
// What is seen depends on the caller, and changes with a list of its server.
const CACHE = { ttlMs: 60_000, cacheScope: 'private' } as const;

const Page = z.looseObject({ cursor: z.string().optional() });
const Named = z.looseObject({ uri: z.string() });

type WithSkill = CatalogResource & { readonly skill: Skill };

export function createSkillsExtension(endpoints: Endpoints): Extension {
  const viewOf = async (caller: Caller) => {
    await endpoints.ready(caller.organizationId);
    await endpoints.settled(caller.organizationId);
    return endpoints.of(caller.organizationId).view(caller);
  };
  /** Makes entries of skills as they are shown here: their documents under the URIs that can be read here. */
  const entriesFor = ({ organizationId }: Caller) => {
    const { shown } = endpoints.of(organizationId);
    const renamed = Map.groupBy(
      shown.resources.filter(({ isRenamed }) => isRenamed),
      ({ toolset }) => toolset,
    );
    const titles = new Map(shown.toolsets.map(({ name, title }) => [name, title]));
    return ({ uri, skill, toolset }: WithSkill) => {
      const moved = renamed.get(toolset) ?? [];
      const shownAs = (file: string) => moved.map((resource) => resource.aliasOf(file)).find(isText) ?? file;
      const { frontmatter, resources } = skill;
      const files =
        resources === 'dynamic' ? resources : resources.map((file) => ({ ...file, uri: shownAs(file.uri) }));
      const origin = { id: toolset, title: titles.get(toolset) ?? toolset, name: frontmatter.name };
      return { uri, frontmatter, resources: files, _meta: { [CONNECTION]: origin } };
    };
  };
  return {
    name: SKILLS_EXTENSION,
    isServed: ({ organizationId }) => endpoints.of(organizationId).shown.resources.some(hasSkill),
    methods: {
      'skills/list': {
        params: Page,
        async handle({ cursor }: z.output<typeof Page>, caller: Caller) {
          const view = await viewOf(caller);
          const { items, ...next } = view.resourcePage('skills', caller, cursor, PAGE_SIZE);
          return { skills: items.filter(hasSkill).map(entriesFor(caller)), ...CACHE, ...next };
        },
      },
      'skills/get': {
        params: Named,
        async handle({ uri }: z.output<typeof Named>, caller: Caller) {
          const found = (await viewOf(caller)).listed(uri, caller);
          // Hidden and unknown look the same.
          if (found === undefined || !hasSkill(found))
            throw new ProtocolFault(RPC.invalidParams, 'Skill not found');
          return { skill: entriesFor(caller)(found), ...CACHE };
        },
      },
    },
  };
}

function hasSkill(resource: CatalogResource): resource is WithSkill {
  return resource.skill !== undefined;
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
