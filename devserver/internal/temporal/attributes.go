package temporal

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
)

// ParseAttributes reads "Name=Type" pairs.
func ParseAttributes(pairs []string) (map[string]string, error) {
	attributes := map[string]string{}
	for _, p := range pairs {
		name, kind, ok := strings.Cut(p, "=")
		if _, known := enums.IndexedValueType_shorthandValue[kind]; !ok || name == "" || !known || kind == "Unspecified" {
			return nil, fmt.Errorf("search attribute %q: expected NAME=TYPE with TYPE one of Keyword, KeywordList, Text, Int, "+
				"Double, Bool, Datetime", p)
		}
		attributes[name] = kind
	}
	return attributes, nil
}

// AddSearchAttributes adds those that the namespace of the server on port lacks.
func AddSearchAttributes(ctx context.Context, port int, attributes map[string]string) error {
	if len(attributes) == 0 {
		return nil
	}
	c, err := client.DialContext(ctx, client.Options{HostPort: address(port), Namespace: Namespace})
	if err != nil {
		return fmt.Errorf("add search attributes: %w", err)
	}
	defer c.Close()
	there, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: Namespace})
	if err != nil {
		return fmt.Errorf("list search attributes: %w", err)
	}
	add := &operatorservice.AddSearchAttributesRequest{
		Namespace: Namespace, SearchAttributes: map[string]enums.IndexedValueType{},
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		kind, err := enums.IndexedValueTypeFromString(attributes[name])
		if err != nil {
			return err
		}
		has, ok := there.CustomAttributes[name]
		if ok && has != kind {
			return fmt.Errorf("search attribute %s has type %s, expected %s", name, has, kind)
		}
		if !ok {
			add.SearchAttributes[name] = kind
		}
	}
	if len(add.SearchAttributes) == 0 {
		return nil
	}
	if _, err := c.OperatorService().AddSearchAttributes(ctx, add); err != nil {
		return fmt.Errorf("add search attributes: %w", err)
	}
	return nil
}
