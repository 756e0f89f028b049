package transcode

import (
	// What details of errors usually are is known, whether the descriptors have it or not.
	_ "google.golang.org/genproto/googleapis/rpc/errdetails"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// types finds the types that messages name: those of the descriptors, then those that
// are known here.
type types struct{ own *dynamicpb.Types }

func newTypes(files *protoregistry.Files) types { return types{dynamicpb.NewTypes(files)} }

func (t types) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	if found, err := t.own.FindMessageByName(name); err == nil {
		return found, nil
	}
	return protoregistry.GlobalTypes.FindMessageByName(name)
}

func (t types) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	if found, err := t.own.FindMessageByURL(url); err == nil {
		return found, nil
	}
	return protoregistry.GlobalTypes.FindMessageByURL(url)
}

func (t types) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	return t.own.FindExtensionByName(name)
}

func (t types) FindExtensionByNumber(message protoreflect.FullName, field protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return t.own.FindExtensionByNumber(message, field)
}
