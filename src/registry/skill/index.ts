export { exportSkills, type Skill } from './export-skills.ts';
