/** Skills of a connection: their documents can be read here, and each is what somebody agreed to, or is given to nobody. */
import { createHash } from 'node:crypto';
import type { Definition, ServedConnection, ServedSkill } from '@parley/connections';
import type { SkillFile } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { isObject } from '../messages.ts';

type Result = Readonly<Record<string, unknown>>;

/** Where a document belongs, and what it has to be; undefined where that is made anew with every read. */
interface Place {
  readonly skill: ServedSkill;
  readonly file: SkillFile | undefined;
}

/** The documents of all skills of a connection, by URI; one that lies in a skill inside another one is of both. */
export type SkillFiles = ReadonlyMap<string, readonly Place[]>;

/** What a document of a skill is shown as. */
export interface SkillDocument {
  readonly definition: Definition;
  /** True: its server lists it among its resources. */
  readonly isListed: boolean;
  readonly skill: ServedSkill['definition'] | undefined;
}

export function skillFilesOf({ skills }: ServedConnection): SkillFiles {
  const files = new Map<string, Place[]>();
  for (const skill of skills) {
    const { uri, resources } = skill.definition;
    const all =
      resources === 'dynamic'
        ? [{ uri, file: undefined }]
        : resources.map((file) => ({ uri: file.uri, file }));
    for (const { uri: place, file } of all) files.set(place, [...(files.get(place) ?? []), { skill, file }]);
  }
  return files;
}

/** Every fixed document of a connection, and those of skills that are in no list. */
export function documentsWithSkills(connection: ServedConnection, files: SkillFiles): SkillDocument[] {
  const shown = new Map(
    connection.skills
      .filter(({ state }) => state !== 'held')
      .map(({ definition }) => [definition.uri, definition] as const),
  );
  const listed = connection.resources.map((definition) => ({
    definition,
    isListed: true,
    skill: shown.get(String(definition['uri'])),
  }));
  const known = new Set(connection.resources.map(({ uri }) => uri));
  const others = [...files].filter(([uri]) => !known.has(uri));
  return [
    ...listed,
    ...others.map(([uri, places]) => {
      const { name, description } = places[0]?.skill.definition.frontmatter ?? {};
      const skill = shown.get(uri);
      const about = skill === undefined ? {} : { description, mimeType: 'text/markdown' };
      return { definition: { uri, name, ...about }, isListed: false, skill };
    }),
  ];
}

/** Refuses what a skill does not say, and what belongs only to skills that nobody has agreed to. */
export function refuseOtherFile(
  files: SkillFiles,
  {
    uri,
    result,
    connection,
  }: { readonly uri: string; readonly result: Result; readonly connection: ServedConnection },
  announce: ((connection: ServedConnection) => void) | undefined,
): void {
  const places = files.get(uri);
  if (places === undefined || !Array.isArray(result['contents'])) return;
  const { title } = connection;
  const agreed = places.filter(({ skill }) => skill.state !== 'held');
  if (agreed.length === 0)
    throw new ToolError(
      'quarantined',
      `A skill of ${title} is new or has changed. An owner or administrator has to approve it first.`,
    );
  const contents: readonly unknown[] = result['contents'];
  const bytes = contents.length === 1 ? bytesOf(contents[0]) : undefined;
  if (agreed.some(({ file }) => file === undefined || (bytes !== undefined && isFile(bytes, file)))) return;
  announce?.(connection);
  throw new ToolError(
    'invalid_result',
    `${title} gave a document of a skill that is not what the skill says. List the skills again later.`,
  );
}

function isFile(bytes: Buffer, { size, digest }: SkillFile): boolean {
  return bytes.length === size && digest === `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function bytesOf(content: unknown): Buffer | undefined {
  const { text, blob } = isObject(content) ? content : {};
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  return typeof blob === 'string' ? Buffer.from(blob, 'base64') : undefined;
}
