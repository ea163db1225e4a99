package service

import "mneme/knowledge"

var errStub = knowledge.Errorf(knowledge.CodeInternal, "not there yet")
