export { chooseModel, type ModelChoice, modelName } from './choose-model.ts';
