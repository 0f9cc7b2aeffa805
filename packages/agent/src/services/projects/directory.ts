/** Which projects an organization has: they belong to another toolset, and reach this one as a service. */

/** A project, as far as agents have to know it. */
export interface KnownProject {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

export interface ProjectDirectory {
  /** The oldest first. */
  list(organizationId: string): Promise<KnownProject[]>;
  get(organizationId: string, id: string): Promise<KnownProject | undefined>;
}
