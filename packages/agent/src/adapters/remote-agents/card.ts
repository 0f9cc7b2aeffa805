/** The card of a remote agent: what it says of itself, cut to what is of use. */
import * as z from 'zod';

const MAX_SKILLS = 50;
const MAX_NAMES = 20;

const short = z.string().transform((text) => text.slice(0, 200));
const long = z.string().transform((text) => text.slice(0, 2000));
const names = z
  .array(short)
  .transform((all) => all.slice(0, MAX_NAMES))
  .catch([]);
const flag = z.boolean().catch(false);

const Skill = z.object({ id: short.catch(''), name: short.catch(''), tags: names });

const Card = z.object({
  name: short.refine((text) => text.trim() !== ''),
  version: short.refine((text) => text.trim() !== ''),
  description: long.catch(''),
  url: long.catch(''),
  provider: z
    .union([short, z.object({ organization: short }).transform(({ organization }) => organization)])
    .nullable()
    .catch(null),
  capabilities: z
    .object({ streaming: flag, pushNotifications: flag })
    .catch({ streaming: false, pushNotifications: false }),
  authentication: z.object({ schemes: names }).catch({ schemes: [] }),
  // What later revisions of the protocol have instead.
  securitySchemes: z.record(z.string(), z.unknown()).catch({}),
  defaultInputModes: names,
  defaultOutputModes: names,
  skills: z
    .array(Skill)
    .transform((all) => all.slice(0, MAX_SKILLS))
    .catch([]),
});

export interface AgentCard {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly url: string;
  readonly provider: string | null;
  readonly streaming: boolean;
  readonly push: boolean;
  readonly auth_schemes: string[];
  readonly input_modes: string[];
  readonly output_modes: string[];
  readonly skills: { readonly id: string; readonly name: string; readonly tags: string[] }[];
}

/** The card in a document; undefined when it is none. */
export function cardOf(document: unknown): AgentCard | undefined {
  const { data } = Card.safeParse(document);
  if (data === undefined) return undefined;
  const { capabilities, authentication, securitySchemes } = data;
  const schemes = [...authentication.schemes, ...Object.keys(securitySchemes)];
  return {
    name: data.name,
    version: data.version,
    description: data.description,
    url: data.url,
    provider: data.provider,
    streaming: capabilities.streaming,
    push: capabilities.pushNotifications,
    auth_schemes: schemes.slice(0, MAX_NAMES),
    input_modes: data.defaultInputModes,
    output_modes: data.defaultOutputModes,
    skills: data.skills,
  };
}
