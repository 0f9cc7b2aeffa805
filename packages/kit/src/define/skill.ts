/** A skill of another server: a folder of documents with instructions, as the skills extension lists it. */

/** One document of a skill, and what it must be. */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits, of the bytes. */
  readonly digest: string;
  readonly size: number;
}

export interface Skill {
  /** Of its SKILL.md. */
  readonly uri: string;
  readonly frontmatter: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly description: string;
  };
  /** All of its documents; or the word for one that is made anew with every read. */
  readonly resources: readonly SkillFile[] | 'dynamic';
}
