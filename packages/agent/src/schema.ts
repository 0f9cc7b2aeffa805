/** The tables of agents and of the bundles that give them tools, as queries see them; other nouns have theirs beside their services. */

/** An agent: somebody who acts without being a person. */
export interface AgentRow {
  id: string;
  organization_id: string;
  /** The person whose rights are the most that the agent can have. */
  user_id: string;
  name: string;
  /** The name as it is compared: without case. */
  name_key: string;
  description: string;
  /** The account that its credits and its reputation belong to. */
  account_id: string;
  /** The names of its tools as JSON; null: the default set. */
  mcp_tool_permissions: string | null;
  default_project_id: string | null;
  /** How it is run: absent, as the server says. */
  runner: string | null;
  version: number;
  created_at: number;
  updated_at: number;
}

/** A project that an agent reaches. */
export interface AgentProjectRow {
  organization_id: string;
  agent_id: string;
  project_id: string;
  created_at: number;
}

/** A set of tools, with words for the agent that gets them. */
export interface BundleRow {
  id: string;
  organization_id: string;
  name: string;
  /** The name as it is compared: without case. */
  name_key: string;
  description: string;
  /** Names of tools as JSON. */
  tools: string;
  prompt_additions: string;
  /** The slug of the preset that it began as; null: made by somebody. */
  preset: string | null;
  created_at: number;
  updated_at: number;
}

/** A bundle of an agent. */
export interface AgentSkillRow {
  organization_id: string;
  agent_id: string;
  bundle_id: string;
  sort_order: number;
  created_at: number;
}

/** A bundle that every agent has in a project. */
export interface ProjectSkillRow {
  organization_id: string;
  project_id: string;
  bundle_id: string;
  sort_order: number;
  created_at: number;
}

export interface AgentTables {
  agents: AgentRow;
  agent_projects: AgentProjectRow;
  skill_bundles: BundleRow;
  agent_skills: AgentSkillRow;
  project_skills: ProjectSkillRow;
}
