/**
 * The namespace of each kind of server, by the words in the servers' names; the first row that fits wins. A server that no
 * row knows gives its own name.
 */
export const NAMESPACES: readonly { readonly namespace: string; readonly servers: string }[] = [
  { namespace: 'github', servers: 'github' },
  { namespace: 'gitlab', servers: 'gitlab' },
  { namespace: 'git', servers: 'git bitbucket gitea' },
  { namespace: 'fs', servers: 'fs file files filesystem directory disk ftp sftp' },
  {
    namespace: 'db',
    servers: `db database sql postgres postgresql pg pglite sqlite sqlite3 mysql mariadb mongo mongodb redis duckdb clickhouse bigquery
      snowflake supabase neon oracle mssql cockroachdb dynamodb elasticsearch neo4j prisma`,
  },
  {
    namespace: 'browser',
    servers: 'browser browserbase playwright puppeteer selenium chrome chromium devtools stagehand',
  },
  { namespace: 'search', servers: 'search brave tavily exa serper serpapi duckduckgo kagi perplexity' },
  { namespace: 'api', servers: 'api http https fetch rest graphql openapi web request requests curl' },
  {
    namespace: 'shell',
    servers: 'shell bash sh zsh terminal exec command commands powershell ssh commander',
  },
  { namespace: 'docker', servers: 'docker podman container containers' },
  { namespace: 'k8s', servers: 'k8s kubernetes kubectl helm' },
  { namespace: 'cloud', servers: 'aws azure gcp cloudflare vercel netlify heroku terraform pulumi s3' },
  { namespace: 'mail', servers: 'mail email gmail outlook imap smtp sendgrid mailgun resend' },
  { namespace: 'calendar', servers: 'calendar gcal caldav' },
  { namespace: 'chat', servers: 'discord telegram whatsapp teams mattermost matrix chat' },
  { namespace: 'issues', servers: 'jira linear asana trello issues youtrack shortcut' },
  { namespace: 'docs', servers: 'notion confluence gdocs docs wiki obsidian gdrive drive' },
  { namespace: 'memory', servers: 'memory knowledge mem0 basicmemory' },
  { namespace: 'time', servers: 'time clock timezone datetime' },
  { namespace: 'math', servers: 'math calculator calc statistics' },
  { namespace: 'transform', servers: 'transform convert json csv xml yaml' },
];

/** Words of a server's name that say nothing about it. */
export const SERVER_FILLERS: ReadonlySet<string> = new Set(
  'mcp server servers tool tools service client local remote official modelcontextprotocol the my plugin api'.split(
    ' ',
  ),
);

/** For capabilities that use no tools. */
export const DEFAULT_NAMESPACE = 'util';
